# What a stranger gets: the public headers, one library, the command-line tool, and files for find_package and pkg-config.
include(CMakePackageConfigHelpers)

# The library is the objects of all modules together, static or (BUILD_SHARED_LIBS) shared. Modules that only serve the tool stay out.
get_property(modules GLOBAL PROPERTY RIVULET_MODULES)
set(objects "")
foreach(module IN LISTS modules)
  get_target_property(folder ${module} SOURCE_DIR)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${folder} NORMALIZE inside_project)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE relative)
  if(NOT inside_project OR NOT relative MATCHES "^src/")
    message(FATAL_ERROR "${module} lies in ${relative}: only folders below src/ go into the library; declare it TOOL_ONLY")
  endif()
  list(APPEND objects $<TARGET_OBJECTS:${module}>)
endforeach()

add_library(rivulet_library ${objects})
add_library(rivulet::rivulet ALIAS rivulet_library)
set_target_properties(rivulet_library PROPERTIES
  OUTPUT_NAME rivulet
  EXPORT_NAME rivulet
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # below 1.0 a minor version may change the interface
target_compile_features(rivulet_library PUBLIC cxx_std_20)
target_include_directories(rivulet_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(rivulet_library PRIVATE OpenSSL::Crypto PkgConfig::MPFR SQLite::SQLite3)
if(RIVULET_SANITIZE)
  target_link_options(rivulet_library PRIVATE -fsanitize=${RIVULET_SANITIZE})
endif()
if(BUILD_SHARED_LIBS)
  # Only the public interface is visible: neither the kernel nor Eigen's inline functions can be linked against.
  set(exports ${PROJECT_SOURCE_DIR}/cmake/rivulet.exports)
  target_link_options(rivulet_library PRIVATE LINKER:--version-script=${exports} LINKER:--no-undefined)
  set_target_properties(rivulet_library PROPERTIES LINK_DEPENDS ${exports})
endif()

install(TARGETS rivulet_library EXPORT rivuletTargets)
if(RIVULET_BUILD_TOOL)
  install(TARGETS rivulet)
endif()
install(DIRECTORY include/rivulet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/rivulet/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rivulet)

# find_package(rivulet)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rivulet)
set(RIVULET_IS_SHARED ${BUILD_SHARED_LIBS})
configure_package_config_file(cmake/rivuletConfig.cmake.in ${CMAKE_BINARY_DIR}/package/rivuletConfig.cmake
                              INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/rivuletConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT rivuletTargets NAMESPACE rivulet:: DESTINATION ${config_dir})
install(FILES ${CMAKE_BINARY_DIR}/package/rivuletConfig.cmake ${CMAKE_BINARY_DIR}/package/rivuletConfigVersion.cmake
        DESTINATION ${config_dir})

# pkg-config. Paths are relative to the .pc file, so that `cmake --install --prefix` and moving the tree keep working.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${pkgconfig_dir} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PC_PREFIX "\${pcfiledir}/${up}")
  set(PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# A shared library brings its own dependencies; with a static one every program must link them, asked for --static or not.
if(BUILD_SHARED_LIBS)
  set(PC_REQUIRES Requires.private)
else()
  set(PC_REQUIRES Requires)
endif()
configure_file(cmake/rivulet.pc.in ${CMAKE_BINARY_DIR}/package/rivulet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/rivulet.pc DESTINATION ${pkgconfig_dir})

foreach(page LICENSE README.md CHANGELOG.md)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/docs)
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
