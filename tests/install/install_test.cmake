# Run by ctest; see CMakeLists.txt for the variables. Any step that fails ends the test with its output.
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# must_run(what command...): runs it and leaves what it printed in `output`.
function(must_run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${what} failed (${result}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(must_print_a_model program)
  must_run("${program}" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR} ${program})
  if(NOT output MATCHES "1000 rows: spend = [-+.e0-9]+ \\+ [-+.e0-9]+ age \\+ [-+.e0-9]+ income\n")
    message(FATAL_ERROR "${program} printed no model of 1000 rows:\n${output}")
  endif()
  if(NOT output MATCHES "refused epsilon, rivulet ${VERSION}\n")
    message(FATAL_ERROR "${program} did not catch the refusal:\n${output}")
  endif()
endfunction()

must_run("installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# Every public header is there, none that is not public, and each compiles alone, twice, under strict warnings.
file(GLOB expected RELATIVE ${SOURCE_DIR}/include ${SOURCE_DIR}/include/rivulet/*.h)
list(APPEND expected rivulet/version.h)
list(SORT expected)
file(GLOB_RECURSE installed RELATIVE ${prefix}/${INCLUDEDIR} ${prefix}/${INCLUDEDIR}/*)
list(SORT installed)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "Installed headers: ${installed}\nexpected: ${expected}")
endif()
set(alone "")
foreach(header IN LISTS installed)
  string(MAKE_C_IDENTIFIER ${header} name)
  file(WRITE ${WORK_DIR}/alone/${name}.cc "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND alone ${WORK_DIR}/alone/${name}.cc)
endforeach()
must_run("compiling each header alone" ${CXX} -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only
         -I${prefix}/${INCLUDEDIR} ${alone})

# Nothing installed as text remembers where it was built.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.h)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(place ${SOURCE_DIR} ${BUILD_DIR})
    string(FIND "${content}" "${place}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${text} names ${place}")
    endif()
  endforeach()
endforeach()

# The prefix may be moved as a whole.
file(RENAME ${prefix} ${WORK_DIR}/moved)
set(prefix ${WORK_DIR}/moved)

must_run("the installed tool" ${prefix}/${BINDIR}/rivulet --version)
if(NOT output MATCHES "${VERSION}")
  message(FATAL_ERROR "rivulet --version printed: ${output}")
endif()

# Way one: find_package in a project of its own.
file(COPY ${SOURCE_DIR}/tests/install/stranger.cc DESTINATION ${WORK_DIR}/consumer)
configure_file(${CONSUMER} ${WORK_DIR}/consumer/CMakeLists.txt COPYONLY)
must_run("configuring the CMake consumer" ${CMAKE_COMMAND} -S ${WORK_DIR}/consumer -B ${WORK_DIR}/consumer/build
         -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS}
         -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
must_run("building the CMake consumer" ${CMAKE_COMMAND} --build ${WORK_DIR}/consumer/build)
must_print_a_model(${WORK_DIR}/consumer/build/stranger)

# Way two: pkg-config and the bare compiler, with and without --static.
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
must_run("asking pkg-config" ${PKG_CONFIG} --cflags rivulet)
separate_arguments(cflags UNIX_COMMAND "${output}")
must_run("compiling" ${CXX} -std=c++20 ${flags} ${cflags} -c ${SOURCE_DIR}/tests/install/stranger.cc -o stranger.o)
foreach(kind shared static)
  set(option "")
  if(kind STREQUAL static)
    set(option --static)
  endif()
  must_run("asking pkg-config" ${PKG_CONFIG} ${option} --libs rivulet)
  separate_arguments(libraries UNIX_COMMAND "${output}")
  must_run("linking with pkg-config ${option}" ${CXX} ${flags} stranger.o ${libraries} -o stranger-${kind})
  must_print_a_model(${WORK_DIR}/stranger-${kind})
endforeach()

# A shared library shows nothing but the public interface.
file(GLOB shared_library ${prefix}/${LIBDIR}/librivulet.so)
if(shared_library)
  must_run("reading the exported symbols" ${NM} --dynamic --defined-only --demangle ${shared_library})
  string(REGEX MATCH "[^\n]*(rivulet::[a-z]+::|Eigen::)[^\n]*" leak "${output}")
  if(leak)
    message(FATAL_ERROR "${shared_library} exports ${leak}")
  endif()
endif()
message(STATUS "installed, found two ways, compiled, linked and ran")
