# heddle_add_library(): libmpi_abi.so.1, every module below src/ in one shared library.
#
# libstdc++ is linked in statically and hidden: programs get a private copy of the shared one, and
# the host process must not have one of its own that they would find first.
function(heddle_add_library)
  get_property(modules GLOBAL PROPERTY HEDDLE_MODULES)
  get_property(outside GLOBAL PROPERTY HEDDLE_LIBS)
  set(objects)
  foreach(module IN LISTS modules)
    get_target_property(type ${module} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${module}>)
    endif()
  endforeach()
  add_library(mpi_abi SHARED ${objects})
  add_library(heddle::mpi_abi ALIAS mpi_abi)
  target_link_libraries(mpi_abi PRIVATE ${outside})
  target_include_directories(mpi_abi PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(mpi_abi PROPERTIES LINKER_LANGUAGE CXX VERSION 1.0.0 SOVERSION 1
                                           LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(map ${PROJECT_SOURCE_DIR}/cmake/mpi_abi.map)
  set_target_properties(mpi_abi PROPERTIES LINK_DEPENDS ${map})
  target_link_options(mpi_abi PRIVATE -Wl,--version-script=${map} -Wl,-z,defs -Wl,-z,nodelete)
  if(NOT HEDDLE_SANITIZE)
    target_link_options(mpi_abi PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  install(TARGETS mpi_abi heddle_libc_of_rank LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
