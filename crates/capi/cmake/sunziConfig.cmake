# Imported targets of the C library: sunzi::sunzi, the shared one, and sunzi::static. The folders are found from the
# place of this file, so that an installation may be moved.
get_filename_component(_sunzi_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET sunzi::sunzi)
    add_library(sunzi::sunzi SHARED IMPORTED)
    set_target_properties(sunzi::sunzi PROPERTIES
        IMPORTED_LOCATION "${_sunzi_prefix}/lib/libsunzi.so"
        IMPORTED_SONAME "libsunzi.so.@interface@"
        INTERFACE_INCLUDE_DIRECTORIES "${_sunzi_prefix}/include")

    add_library(sunzi::static STATIC IMPORTED)
    set_target_properties(sunzi::static PROPERTIES
        IMPORTED_LOCATION "${_sunzi_prefix}/lib/libsunzi.a"
        INTERFACE_INCLUDE_DIRECTORIES "${_sunzi_prefix}/include"
        INTERFACE_LINK_LIBRARIES "@system_libraries@")
endif()

unset(_sunzi_prefix)
