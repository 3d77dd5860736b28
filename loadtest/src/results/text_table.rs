//! Tables for people, and medians.

use std::fmt::{self, Write as _};

/// A figure with `digits` decimals, or a dash.
pub(crate) fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"))
}

/// The median; `None` without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        len if len % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Names and values, a line for each.
pub(crate) fn list(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<width$}  {value}");
    }
    text
}

/// Columns of text under their heads: the first left-aligned, the others right-aligned.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row of heads and cells. The heads of the first row are the table's.
    pub(crate) fn row<'a>(&mut self, cells: impl IntoIterator<Item = (&'a str, String)>) {
        let (heads, cells): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        if self.rows.is_empty() {
            self.rows
                .push(heads.into_iter().map(str::to_owned).collect());
        }
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let width = |column| cells(column).map(|cell| cell.chars().count()).max();
        let widths: Vec<_> = (0..columns)
            .map(|column| width(column).unwrap_or(0))
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let _ = match column {
                    0 => write!(line, "{cell:<width$}  "),
                    _ => write!(line, "{cell:>width$}  "),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0]), Some(3.0));
        assert_eq!(median([9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    #[test]
    fn tables_line_up() {
        let mut table = Table::default();
        table.row([
            ("mode", "lanes".into()),
            ("a", "1.5".into()),
            ("long", "2".into()),
        ]);
        assert_eq!(table.to_string(), "mode     a  long\nlanes  1.5     2\n");
        assert_eq!(Table::default().to_string(), "");
        let lines = [("name", "1".into()), ("a", "2".into())];
        assert_eq!(list(&lines), "name  1\na     2\n");
    }
}
