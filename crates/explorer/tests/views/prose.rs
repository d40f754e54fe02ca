//! The figures in the text of the page.

/// The number of integers below A/2 for which the hierarchical extension is wrong, with the moduli 31, 29,
/// 27, 25 in rows of two and sigma = 1/2, from plain integers.
#[test]
fn the_count_of_wrong_numbers_is_that_of_the_text() {
    let moduli = [31u64, 29, 27, 25];
    let range: u64 = moduli.iter().product();
    let inverse = |i: usize| {
        let m = moduli[i];
        (1..m).find(|x| x * (range / m % m) % m == 1).unwrap()
    };
    let inverses = [0, 1, 2, 3].map(inverse);
    let wrong = |x: u64| {
        let digit = |i: usize| x % moduli[i] * inverses[i] % moduli[i];
        let row = |i: usize| digit(i) * moduli[i + 1] + digit(i + 1) * moduli[i];
        // All 10 bits of a row are kept, and the sum starts at 1/2.
        let estimate = (512 + row(0) + row(2)) >> 10;
        let sum: u64 = (0..4).map(|i| digit(i) * (range / moduli[i])).sum();
        estimate != (sum - x) / range
    };
    let count = (0..range / 2).filter(|&x| wrong(x)).count();
    let text = format!(
        "{} of {} numbers",
        thousands(count),
        thousands(range as usize / 2)
    );
    let page = include_str!("../../../explorer-page/page/index.html");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&text), "{text}");
}

fn thousands(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}
