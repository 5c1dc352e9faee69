//! Textures and surfaces in a random program: creation, queries, misuse and destruction.

use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

use super::memory::of;
use super::*;

const FLOAT: u32 = 2;

/// Returns the `hipResourceDesc` of an array.
fn over(array: u64) -> [u64; 8] {
    [0, array, 0, 0, 0, 0, 0, 0]
}

pub fn any(held: &LiveObjects, random: &mut Random) {
    let kind = random.below(3) as u32;
    let bits = if kind == FLOAT { 32 } else { 8 };
    let channel = Channel {
        bits: [bits, 0, 0, 0],
        format: kind,
    };
    let (width, height) = (1 + random.below(300) as usize, random.below(20) as usize);
    let (mut array, mut texture, mut surface) = (0, 7, 7);
    let made = call!(hipMallocArray(
        out(&mut array),
        of(&[channel]),
        width,
        height,
        2
    ));
    assert_eq!(made, SUCCESS);

    // hipTextureDesc: modes, filter, read mode, and normalised coordinates.
    let (mode, filter, read) = (
        random.below(5) as u32,
        random.below(2) as u32,
        random.below(2) as u32,
    );
    let mut desc = [0u32; 16];
    (desc[0], desc[3], desc[4], desc[10]) = (mode, filter, read, random.below(2) as u32);
    let integers = kind != FLOAT && read == 0;
    let wrong = mode == 4 || filter == 1 && integers;
    let expected = if wrong { INVALID_VALUE } else { SUCCESS };
    let resource = over(array);
    let created = call!(hipCreateTextureObject(
        out(&mut texture),
        of(&resource),
        of(&desc),
        In::null()
    ));
    assert_eq!(
        created, expected,
        "mode {mode}, filter {filter}, kind {kind}"
    );
    let bad = held.bad(random);
    if wrong {
        assert_eq!(texture, 7);
    } else {
        let mut told = TextureDesc::default();
        assert_eq!(
            call!(hipGetTextureObjectTextureDesc(out(&mut told), texture)),
            SUCCESS
        );
        assert_eq!((told.address[0], told.filter), (mode, filter));
        assert_eq!(call!(hipDestroySurfaceObject(texture)), INVALID_VALUE);
        assert_eq!(call!(hipDestroyTextureObject(texture)), SUCCESS);
        assert_eq!(call!(hipDestroyTextureObject(texture)), INVALID_VALUE);
    }
    let created = call!(hipCreateSurfaceObject(out(&mut surface), of(&resource)));
    assert_eq!(created, SUCCESS);
    assert_eq!(call!(hipDestroyTextureObject(surface)), INVALID_VALUE);
    assert_eq!(call!(hipDestroyTextureObject(bad)), INVALID_VALUE);
    assert_eq!(call!(hipDestroySurfaceObject(surface)), SUCCESS);
    assert_eq!(call!(hipFreeArray(array)), SUCCESS);
    let gone = call!(hipCreateSurfaceObject(out(&mut surface), of(&resource)));
    assert_eq!(gone, INVALID_HANDLE);
}
