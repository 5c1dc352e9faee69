//! Arguments by value that are not a single number: fast divisors and structures of whole numbers.

use super::number::Terms;
use super::written::{WrittenText, quoted};

/// Recognizes the three u32 of a fast division by a size.
pub fn fast_division(bytes: &[u8], terms: &Terms<'_>) -> Option<WrittenText> {
    let [_, _, divisor] = words(bytes)?;
    if crate::binding::fast_division(divisor)? != bytes {
        return None;
    }
    let guess = terms.argument(divisor.into());
    let more = guess
        .others
        .iter()
        .cloned()
        .chain(terms.quotients(divisor.into()));
    let mut others: Vec<String> = more.filter(|other| *other != guess.formula).collect();
    others.dedup();
    Some(WrittenText {
        text: quoted(&format!("fastdiv({})", guess.formula)),
        comment: (!others.is_empty()).then(|| format!("or of {}", others.join(", "))),
        uses: guess.uses,
    })
}

/// Recognizes a structure of whole numbers, such as strides; none if a formula of the sizes is missing for one of them.
pub fn members(bytes: &[u8], terms: &Terms<'_>) -> Option<WrittenText> {
    [8, 4]
        .into_iter()
        .filter(|size| bytes.len().is_multiple_of(*size))
        .find_map(|size| {
            let member = |word: &[u8]| {
                let mut wide = [0; 8];
                wide[..size].copy_from_slice(word);
                let number = i64::try_from(u64::from_le_bytes(wide)).ok()?;
                let guess = terms.argument(number);
                (!guess.literal).then_some(guess)
            };
            let members: Vec<_> = bytes.chunks(size).map(member).collect::<Option<_>>()?;
            let text = members
                .iter()
                .map(|guess| quoted(&format!("i{} {}", 8 * size, guess.formula)));
            Some(WrittenText {
                text: format!("[{}]", text.collect::<Vec<_>>().join(", ")),
                comment: Some("? members by their numbers".into()),
                uses: members
                    .iter()
                    .flat_map(|guess| guess.uses.clone())
                    .collect(),
            })
        })
}

fn words(bytes: &[u8]) -> Option<[u32; 3]> {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    rest.is_empty().then(|| words.try_into().ok()).flatten()
}
