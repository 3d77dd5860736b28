//! Tables for people, and medians.

use std::fmt::Write as _;

/// A figure with `digits` decimals, or a dash.
pub fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"))
}

/// The median; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        len if len % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Columns of text: the first left-aligned, the others right-aligned. A table of two columns is a
/// list of names and values, all left-aligned.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads; without heads if all are empty.
    pub fn new(heads: &[&str]) -> Self {
        let head: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
        Self {
            rows: if head.iter().all(String::is_empty) {
                Vec::new()
            } else {
                vec![head]
            },
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                if column == 0 || columns == 2 {
                    let _ = write!(line, "{cell:<width$}  ");
                } else {
                    let _ = write!(line, "{cell:>width$}  ");
                }
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
        let mut table = Table::new(&["mode", "a", "long"]);
        table.row(vec!["lanes".into(), "1.5".into(), "2".into()]);
        assert_eq!(table.to_string(), "mode     a  long\nlanes  1.5     2\n");
    }
}
