//! Names that people give the tensors and sizes of delta rules.

/// Names of tensors; those in one line have one meaning.
const TENSORS: &[&str] = &[
    "q query queries",
    "k key keys",
    "v val value values",
    "g gate gates decay decays log_decay alpha",
    "beta betas strength strengths wr write",
    "initial h0 s0 state0 initial_state init_state state_in first state h0_source",
    "final ht last final_state state_out states new_state",
    "o out output outputs dst y res result",
    "x in input inp src",
    "h0_source pool state_pool cache",
    "h0_indices slots slot_ids indices state_indices cache_indices",
    "cu_seqlens cu cu_lens cu_seq_lens seq_offsets query_start_loc",
    "a_log alog rate rates",
    "dt_bias bias dt",
];

/// Names of sizes; those in one line have one meaning.
const SIZES: &[&str] = &[
    "b n batch batches nseq nseqs n_seq n_seqs num_seqs seqs sequences bs batch_size",
    "t ntok ntoks n_tok n_tokens num_tokens tokens seqlen seq_len length len",
    "h hk hg hq nh heads num_heads n_heads nheads key_heads num_k_heads n_k_heads",
    "hv hv_n nhv value_heads v_heads num_v_heads n_v_heads",
    "k kd dk key_dim head_k_dim key_size",
    "v vd dv value_dim head_v_dim value_size",
    "c bt chunk chunk_size chunk_len",
    "s d dim head_dim headdim channels cols columns",
    "rows n_rows nrows",
    "n count total size numel elements",
];

/// Names of the token that a launch is for, where there is a launch for each.
const TOKEN: &[&str] = &["t", "tok", "token", "step", "pos"];
/// Names of the factor on the output.
const SCALE: &[&str] = &["scale", "sm_scale", "softmax_scale", "qk_scale", "scl"];

/// Returns a name in lower case, without prefixes and suffixes such as `d_` and `_ptr`; a letter twice becomes one.
fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let mut plain = lower.trim_matches('_');
    for prefix in ["d_", "p_", "dev_", "gpu_"] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    for suffix in ["_ptr", "_d", "_dev", "_gpu", "_buf"] {
        plain = plain.strip_suffix(suffix).unwrap_or(plain);
    }
    match plain.as_bytes() {
        [a, b] if a == b => plain[..1].to_owned(),
        _ => plain.to_owned(),
    }
}

/// Returns how alike the names of an argument and a tensor are: 0 if they are equal, 1 if only spelled differently, 2 if they mean the
/// same, 3 if one begins like the other; none for names that are not alike.
pub fn tensors(argument: &str, tensor: &str) -> Option<u32> {
    alike(TENSORS, argument, tensor)
}

/// Returns how alike the names of an argument and a size are, by the levels of [`tensors`].
pub fn sizes(argument: &str, size: &str) -> Option<u32> {
    alike(SIZES, argument, size)
}

/// True for names that people give the token of a launch.
pub fn is_token(argument: &str) -> bool {
    TOKEN.contains(&plain(argument).as_str())
}

/// True for names that people give the factor on the output.
pub fn is_scale(argument: &str) -> bool {
    SCALE.contains(&plain(argument).as_str())
}

fn alike(meanings: &[&str], argument: &str, known: &str) -> Option<u32> {
    if argument.is_empty() {
        return None;
    }
    if argument == known {
        return Some(0);
    }
    let (a, b) = (plain(argument), plain(known));
    if a == b {
        return Some(1);
    }
    let has = |names: &str, name: &str| names.split(' ').any(|known| known == name);
    if meanings
        .iter()
        .any(|names| has(names, &a) && has(names, &b))
    {
        return Some(2);
    }
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let whole = same == a.len().min(b.len());
    (same >= 4 || (same >= 3 && whole)).then_some(3)
}

/// True if a formula mentions a word that the name of an argument is made of.
pub fn mentions(formula: &str, argument: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words
            .filter(|word| word.len() >= 3)
            .map(str::to_ascii_lowercase)
            .collect()
    };
    let words = split(formula);
    let own = split(argument);
    own.iter().any(|own| {
        words
            .iter()
            .any(|word| own == word || (word.len() >= 5 && own.ends_with(word.as_str())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_by_letters_then_by_meaning_then_by_their_beginning() {
        assert_eq!(tensors("beta", "beta"), Some(0));
        assert_eq!(tensors("d_Beta", "beta"), Some(1));
        assert_eq!(tensors("kk", "k"), Some(1));
        assert_eq!(tensors("wr", "beta"), Some(2));
        assert_eq!(tensors("fin", "final"), Some(3));
        assert_eq!(tensors("U", "o"), None);
        assert_eq!(tensors("", "o"), None);
        assert_eq!(sizes("H_", "H"), Some(1));
        assert_eq!(sizes("ntok", "T"), Some(2));
        assert_eq!(sizes("snaps", "snapshots"), Some(3));
        assert_eq!(sizes("hv", "H"), None);
    }

    #[test]
    fn a_formula_is_known_by_its_words() {
        assert!(mentions("map == tiled", "tiled"));
        assert!(mentions("layout == 'value-major'", "vmajor"));
        assert!(mentions("norm != none", "norm"));
        assert!(!mentions("1 / sqrt(K)", "K"));
    }
}
