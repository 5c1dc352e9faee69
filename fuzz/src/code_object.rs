//! Checks of the reader of code objects: any bytes give an error of one line, or a consistent code object.

use gfx906::code_object::{CodeObject, MAX_IMAGE, MAX_LDS, MAX_WORK_GROUP};

/// Reads `bytes` as a code object, and checks the code object or the error.
pub fn run(bytes: &[u8]) {
    match CodeObject::parse(bytes) {
        Ok(object) => check(&object),
        Err(error) => {
            let text = error.to_string();
            assert!(
                !text.is_empty() && !text.chars().any(char::is_control),
                "not one line: {text:?}"
            );
            assert!(text.len() < 16_384, "{} bytes of message", text.len());
        }
    }
}

fn check(object: &CodeObject) {
    assert_eq!(object.target.processor, "gfx906");
    assert!(object.image.size <= MAX_IMAGE);
    let mut end = 0;
    for segment in &object.image.segments {
        assert!(segment.address >= end, "segments overlap");
        end = segment.end();
    }
    assert_eq!(end, object.image.size);
    for relocation in &object.image.relocations {
        assert!(
            object.image.bytes(relocation.offset, 8).is_some(),
            "relocation outside"
        );
    }
    assert!(object.symbols.is_sorted_by_key(|symbol| symbol.address));
    for kernel in object.kernels.iter() {
        let code = object
            .image
            .segment_at(kernel.entry_address, kernel.code_size)
            .expect("code inside the image");
        assert!(code.executable);
        assert!(kernel.lds_size <= MAX_LDS && kernel.max_flat_work_group_size <= MAX_WORK_GROUP);
        assert!(
            kernel
                .args
                .iter()
                .all(|arg| arg.offset + arg.size <= kernel.kernarg_size)
        );
        assert!(kernel.explicit_kernarg_size() <= kernel.kernarg_size);
        assert_eq!(
            object.kernel(&kernel.name).map(|found| &found.name),
            Some(&kernel.name)
        );
    }
}
