# Shared settings of all targets, and the functions the folders use to declare theirs.

add_library(rivulet_settings INTERFACE)
target_compile_features(rivulet_settings INTERFACE cxx_std_20)
# No contraction: the same rows give the same integers on every machine, with or without fused multiply-add.
target_compile_options(rivulet_settings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms of GCC 12 on std::string concatenation
  $<$<BOOL:${RIVULET_WERROR}>:-Werror>)
if(RIVULET_SANITIZE)
  target_compile_options(rivulet_settings INTERFACE -fsanitize=${RIVULET_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all
                         # GCC's manual: sanitizers raise the rate of false alarms of this warning (std::regex has one).
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(rivulet_settings INTERFACE -fsanitize=${RIVULET_SANITIZE})
endif()

set_property(GLOBAL PROPERTY RIVULET_MODULES "")

# rivulet_module(NAME SOURCES ... [DEPENDS modules...] [LIBRARIES outside libraries...])
#   A folder below src/ as a static library `rivulet_NAME`. Sees the public headers and src/; headers that know what a row is
#   refuse to be included without RIVULET_INSIDE_THE_WALL, which only the kernel and its wiring define.
function(rivulet_module name)
  cmake_parse_arguments(MODULE "INSIDE_THE_WALL;TOOL_ONLY" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(rivulet_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(rivulet_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(rivulet_${name} PRIVATE rivulet_settings ${MODULE_LIBRARIES})
  foreach(dependency IN LISTS MODULE_DEPENDS)
    target_link_libraries(rivulet_${name} PUBLIC rivulet_${dependency})
  endforeach()
  if(MODULE_INSIDE_THE_WALL)
    target_compile_definitions(rivulet_${name} PRIVATE RIVULET_INSIDE_THE_WALL)
  endif()
  if("Eigen3::Eigen" IN_LIST MODULE_LIBRARIES)
    # A name of our own for Eigen's namespace: a program that links us and uses Eigen with other flags never shares its inline functions.
    target_compile_definitions(rivulet_${name} PRIVATE Eigen=EigenInRivulet)
  endif()
  if(NOT MODULE_TOOL_ONLY)
    set_property(GLOBAL APPEND PROPERTY RIVULET_MODULES rivulet_${name})
  endif()
endfunction()

# rivulet_test(NAME SOURCES ... DEPENDS modules... [LIBRARIES ...] [INSIDE_THE_WALL] [LABELS ...] [TIMEOUT s])
#   A GoogleTest binary, registered with ctest as one test.
function(rivulet_test name)
  cmake_parse_arguments(TEST "INSIDE_THE_WALL" "TIMEOUT" "SOURCES;DEPENDS;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE rivulet_settings GTest::gtest GTest::gtest_main ${TEST_LIBRARIES})
  foreach(dependency IN LISTS TEST_DEPENDS)
    target_link_libraries(${name} PRIVATE rivulet_${dependency})
  endforeach()
  if(TEST_INSIDE_THE_WALL)
    target_compile_definitions(${name} PRIVATE RIVULET_INSIDE_THE_WALL)
  endif()
  target_compile_definitions(${name} PRIVATE RIVULET_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             RIVULET_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  if(TEST_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}")
  endif()
  if(TEST_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT})
  endif()
endfunction()
