//! Times in OpenSSH's notation.

/// Seconds since 1970 of a time in UTC: `20261126Z`, `202611261530Z` or `20261126153059Z`. None for other texts, also
/// for local time, without the Z: it would depend on the machine.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let digits = text.strip_suffix(['Z', 'z'])?;
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |from: usize, to: usize| digits.get(from..to).map_or(Some(0), |d| d.parse().ok());
    let (year, month, day): (u64, u64, u64) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let (hour, minute, second): (u64, u64, u64) =
        (number(8, 10)?, number(10, 12)?, number(12, 14)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [
        31,
        28 + u64::from(leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let length = *lengths.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    if year < 1970 || !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Leap years before this one, from the year 1 on.
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let years = 365 * (year - 1970) + leaps(year - 1) - leaps(1969);
    let days = years + lengths[..month as usize - 1].iter().sum::<u64>() + day - 1;
    Some(((24 * days + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, expected) in [
            ("19700101Z", 0),
            ("19991231235959Z", 946_684_799),
            ("20000301Z", 951_868_800),
            ("20240229Z", 1_709_164_800),
            ("202611261530z", 1_795_707_000),
            ("21000301Z", 4_107_542_400),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for wrong in [
            "20261126",
            "",
            "Z",
            "2026Z",
            "20260229Z",
            "20261301Z",
            "20260001Z",
            "20260100Z",
            "202601012400Z",
            "20260101006000Z",
            "19691231Z",
            "2026112é",
            "+0261126Z",
            "always",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
