//! What `bindgen!` makes of the WIT files. Private: [`crate::wit`] gives its types names that stay.

#![allow(missing_docs)]

wasmtime::component::bindgen!({
    path: "wit",
    world: "extension",
    imports: { default: trappable },
    additional_derives: [PartialEq],
});
