//! Macros that turn the table of functions into exported functions.
//!
//! A row gives symbol version, name, arguments, the way of its execution, and the function behind it. A function that takes other arguments
//! stands behind `=>`, with its call. `device` uses the device and returns an error code, `open` returns an error code whatever a failed
//! kernel left, `raw` returns the type in its row, and `none` is not supported.

/// Row of the table, for documents and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Version of the symbol.
    pub version: &'static str,
    /// Symbol.
    pub symbol: &'static str,
    /// Name of the function.
    pub name: &'static str,
    /// True if the function is supported; otherwise it returns `hipErrorNotSupported`.
    pub supported: bool,
}

macro_rules! supported {
    (none) => {
        false
    };
    ($kind:ident) => {
        true
    };
}

macro_rules! symbol {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $symbol:literal) => {
        $symbol
    };
}

macro_rules! function {
    ($kind:ident $name:ident ($($arg:ident: $type:ty),*) [$($return:ty)?] [$path:path] [] [$($symbol:literal)?]) => {
        function!($kind $name ($($arg: $type),*) [$($return)?] [] [$path($($arg),*)] [$($symbol)?]);
    };
    (device $name:ident ($($arg:ident: $type:ty),*) [] [] [$body:expr] [$($symbol:literal)?]) => {
        function!(@code $name ($($arg: $type),*) Device $body, [$($symbol)?]);
    };
    (open $name:ident ($($arg:ident: $type:ty),*) [] [] [$body:expr] [$($symbol:literal)?]) => {
        function!(@code $name ($($arg: $type),*) Open $body, [$($symbol)?]);
    };
    (@code $name:ident ($($arg:ident: $type:ty),*) $gate:ident $body:expr, [$($symbol:literal)?]) => {
        #[doc = concat!("`", stringify!($name), "`.\n\n# Safety\nEvery pointer is null, or good for what HIP's header says.")]
        #[unsafe(export_name = symbol!($name $($symbol)?))]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
            $crate::entry::enter(stringify!($name), $crate::entry::Gate::$gate, || $body)
        }
    };
    (raw $name:ident ($($arg:ident: $type:ty),*) [$return:ty] [] [$body:expr] [$($symbol:literal)?]) => {
        #[doc = concat!("`", stringify!($name), "`.\n\n# Safety\nEvery pointer is null, or good for what HIP's header says.")]
        #[unsafe(export_name = symbol!($name $($symbol)?))]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $return {
            $crate::runtime::guarded(stringify!($name), || $body).unwrap_or_else($crate::entry::FailureValue::failed)
        }
    };
    (none $name:ident () [] [] [] [$($symbol:literal)?]) => {
        #[doc = concat!("`", stringify!($name), "`: returns `hipErrorNotSupported`, whatever its arguments.\n\n# Safety\nNothing is asked.")]
        #[unsafe(export_name = symbol!($name $($symbol)?))]
        pub unsafe extern "C" fn $name() -> u32 {
            $crate::entry::not_supported(stringify!($name))
        }
    };
}

macro_rules! functions {
    ($($version:literal $name:ident $(as $symbol:literal)? ($($arg:ident: $type:ty),*) $(-> $return:ty)? = $kind:ident $($path:path)? $(=> $body:expr)?;)*) => {
        $(function!($kind $name ($($arg: $type),*) [$($return)?] [$($path)?] [$($body)?] [$($symbol)?]);)*

        /// Table of every exported function.
        pub const ROWS: &[$crate::table::Row] = &[
            $($crate::table::Row {
                version: $version,
                symbol: symbol!($name $($symbol)?),
                name: stringify!($name),
                supported: supported!($kind),
            },)*
        ];

        /// Returns address and symbol version of an exported function, by its name or its symbol.
        fn find(name: &str) -> Option<$crate::calls::lookup::ExportedFunction> {
            let row = ROWS.iter().position(|row| row.name == name || row.symbol == name)?;
            let addresses = [$($name as *const () as $crate::boundary::Address,)*];
            Some((addresses[row], ROWS[row].version))
        }
    };
}

pub(crate) use {function, functions, supported, symbol};
