//! The Huffman code of HPACK (RFC 7541 section 5.2 and appendix B).
//!
//! The code is canonical: codes of one length are consecutive numbers in the order of their
//! symbols, and follow those of the shorter lengths. So the lengths alone define it.

/// Length of each symbol's code in bits. The last symbol is EOS, which no text may contain.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, // 0
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28, // 16
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, // 32: space to '/'
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, // 48: '0' to '?'
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, // 64: '@' to 'O'
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, // 80: 'P' to '_'
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, // 96: '`' to 'o'
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, // 112: 'p' to DEL
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, // 128
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, // 144
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, // 160
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, // 176
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, // 192
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, // 208
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, // 224
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, // 240
    30, // EOS
];

const EOS: usize = 256;

/// The longest code.
const BITS_MAX: usize = 30;

/// Codes of up to this length are found with one look into a table.
const SHORT_BITS: usize = 8;

struct Code {
    /// For each length: its codes are below this number, if all codes are written with
    /// [`BITS_MAX`] bits.
    end: [u32; BITS_MAX + 1],
    /// For each length: its first code, and the place of that code's symbol in `symbols`.
    first: [(u32, u16); BITS_MAX + 1],
    /// The symbols in the order of their codes.
    symbols: [u16; LENGTHS.len()],
    /// By the next [`SHORT_BITS`] bits: symbol and length of a short code, or zeros.
    short: [(u8, u8); 1 << SHORT_BITS],
}

static CODE: Code = code();

#[allow(
    clippy::cast_possible_truncation,
    reason = "symbols have 9 bits, lengths 5"
)]
const fn code() -> Code {
    let mut made = Code {
        end: [0; BITS_MAX + 1],
        first: [(0, 0); BITS_MAX + 1],
        symbols: [0; LENGTHS.len()],
        short: [(0, 0); 1 << SHORT_BITS],
    };
    let (mut next, mut place, mut bits) = (0_u32, 0, 1);
    while bits <= BITS_MAX {
        next <<= 1;
        made.first[bits] = (next, place as u16);
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] as usize == bits {
                made.symbols[place] = symbol as u16;
                place += 1;
                if bits <= SHORT_BITS {
                    let rest = SHORT_BITS - bits;
                    let from = (next as usize) << rest;
                    let mut at = from;
                    while at < from + (1 << rest) {
                        made.short[at] = (symbol as u8, bits as u8);
                        at += 1;
                    }
                }
                next += 1;
            }
            symbol += 1;
        }
        made.end[bits] = next << (BITS_MAX - bits);
        bits += 1;
    }
    made
}

/// Appends the text that `coded` stands for.
///
/// # Errors
/// `coded` contains EOS, or ends with more than the padding that section 5.2 allows.
pub(super) fn decode(coded: &[u8], text: &mut Vec<u8>) -> Result<(), ()> {
    let mut bytes = coded.iter();
    // The next `held` bits, in the lowest bits of `window`.
    let (mut window, mut held) = (0_u64, 0_usize);
    loop {
        while held < BITS_MAX
            && let Some(byte) = bytes.next()
        {
            window = window << 8 | u64::from(*byte);
            held += 8;
        }
        if held < BITS_MAX {
            return decode_end(window, held, text);
        }
        let (symbol, bits) = next(window >> (held - BITS_MAX));
        if symbol == EOS {
            return Err(());
        }
        text.push(byte_of(symbol));
        held -= bits;
    }
}

/// Decodes the last `held` bits, fewer than the longest code has.
fn decode_end(window: u64, mut held: usize, text: &mut Vec<u8>) -> Result<(), ()> {
    loop {
        // EOS consists of ones. Behind the end it makes no code longer that was complete.
        let ones = (1 << (BITS_MAX - held)) - 1;
        let (symbol, bits) = next(window << (BITS_MAX - held) | ones);
        if bits > held {
            // Padding is the beginning of EOS, and shorter than a byte.
            let padding = (1 << held) - 1;
            return if held < 8 && window & padding == padding {
                Ok(())
            } else {
                Err(())
            };
        }
        text.push(byte_of(symbol));
        held -= bits;
    }
}

/// The symbol and the length of the code that the lowest [`BITS_MAX`] bits of `window` begin with.
fn next(window: u64) -> (usize, usize) {
    #[allow(clippy::cast_possible_truncation, reason = "masked")]
    let window = (window & ((1 << BITS_MAX) - 1)) as u32;
    let (symbol, bits) = CODE.short[(window >> (BITS_MAX - SHORT_BITS)) as usize];
    if bits > 0 {
        return (symbol.into(), bits.into());
    }
    for bits in SHORT_BITS + 1..BITS_MAX {
        if window < CODE.end[bits] {
            return (long(window, bits), bits);
        }
    }
    (long(window, BITS_MAX), BITS_MAX)
}

fn long(window: u32, bits: usize) -> usize {
    let (first, place) = CODE.first[bits];
    let code = window >> (BITS_MAX - bits);
    CODE.symbols[usize::from(place) + (code - first) as usize].into()
}

fn byte_of(symbol: usize) -> u8 {
    u8::try_from(symbol).expect("EOS is not a byte")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Codes of the symbols, as numbers.
    fn codes() -> Vec<(u32, usize)> {
        let mut codes = vec![(0, 0); LENGTHS.len()];
        let mut next = 0;
        for bits in 1..=BITS_MAX {
            next <<= 1;
            for (symbol, length) in LENGTHS.iter().enumerate() {
                if usize::from(*length) == bits {
                    codes[symbol] = (next, bits);
                    next += 1;
                }
            }
        }
        codes
    }

    /// The text's code, its last byte filled up with `padding`.
    fn encode(symbols: impl IntoIterator<Item = usize>, padding: bool) -> Vec<u8> {
        let codes = codes();
        let mut bits: Vec<bool> = Vec::new();
        for symbol in symbols {
            let (code, length) = codes[symbol];
            bits.extend((0..length).rev().map(|at| code >> at & 1 == 1));
        }
        while !bits.len().is_multiple_of(8) {
            bits.push(padding);
        }
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks(8).map(byte).collect()
    }

    fn decoded(coded: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        decode(coded, &mut text).ok().map(|()| text)
    }

    #[test]
    fn codes_are_those_of_appendix_b() {
        let codes = codes();
        for (symbol, code, bits) in [
            (0, 0x1ff8, 13),
            (1, 0x007f_ffd8, 23),
            (10, 0x3fff_fffc, 30),
            (usize::from(b'0'), 0, 5),
            (usize::from(b'a'), 3, 5),
            (usize::from(b'z'), 0x7b, 7),
            (usize::from(b'\\'), 0x7fff0, 19),
            (128, 0xfffe6, 20),
            (249, 0x0fff_fffe, 28),
            (255, 0x03ff_ffee, 26),
            (EOS, 0x3fff_ffff, 30),
        ] {
            assert_eq!(codes[symbol], (code, bits), "{symbol}");
        }
        // Kraft's sum: the code is complete.
        let sum: u64 = LENGTHS
            .iter()
            .map(|bits| 1 << (BITS_MAX - usize::from(*bits)))
            .sum();
        assert_eq!(sum, 1 << BITS_MAX);
    }

    #[test]
    fn texts_of_appendix_c() {
        for (coded, text) in [
            (
                &b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"[..],
                "www.example.com",
            ),
            (b"\xa8\xeb\x10\x64\x9c\xbf", "no-cache"),
            (b"\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f", "custom-key"),
            (b"\x64\x02", "302"),
            (b"\xae\xc3\x77\x1a\x4b", "private"),
            (b"", ""),
        ] {
            assert_eq!(decoded(coded).as_deref(), Some(text.as_bytes()));
        }
    }

    #[test]
    fn wrong_ends_are_refused() {
        // Padding of zeros; of a whole byte; EOS in the middle and at the end.
        assert_eq!(decoded(&encode([usize::from(b'a')], false)), None);
        assert_eq!(decoded(&[0xff]), None);
        assert_eq!(
            decoded(&[encode([usize::from(b'a')], true), vec![0xff]].concat()),
            None
        );
        let a = usize::from(b'a');
        assert_eq!(decoded(&encode([a, EOS, a], true)), None);
        assert_eq!(decoded(&encode([a, EOS], true)), None);
        assert_eq!(decoded(&encode([EOS], true)), None);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in prop::collection::vec(any::<u8>(), 0..40)) {
            let coded = encode(text.iter().map(|byte| usize::from(*byte)), true);
            prop_assert_eq!(decoded(&coded), Some(text));
        }

        #[test]
        fn whatever_decodes_has_one_code(coded in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(text) = decoded(&coded) {
                let again = encode(text.iter().map(|byte| usize::from(*byte)), true);
                prop_assert_eq!(again, coded);
            }
        }
    }
}
