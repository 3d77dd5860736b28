//! Builds metric families from values that are read, not registered.

use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};

use super::instruments;

/// Label names and values.
pub(crate) type Labels = Vec<(&'static str, String)>;

/// Adds metric families to a list. Each has its help, its type, its name and its samples.
macro_rules! families {
    ($list:expr; $($(#[doc = $help:literal])+ $kind:ident $name:ident = $samples:expr;)+) => {$(
        $list.push($crate::metrics::metric_family::$kind(
            stringify!($name),
            concat!($($help),+).trim(),
            $samples,
        ));
    )+};
}

pub(crate) use families;

/// One sample without labels, if there is a value.
pub(crate) fn one(value: impl Into<Option<f64>>) -> Vec<(Labels, f64)> {
    let value = value.into();
    value
        .map(|value| (Labels::new(), value))
        .into_iter()
        .collect()
}

pub(crate) fn counter(name: &str, help: &str, samples: Vec<(Labels, f64)>) -> MetricFamily {
    family(name, help, MetricType::COUNTER, samples, |metric, value| {
        let mut counter = Counter::default();
        counter.set_value(value);
        metric.set_counter(counter);
    })
}

pub(crate) fn gauge(name: &str, help: &str, samples: Vec<(Labels, f64)>) -> MetricFamily {
    family(name, help, MetricType::GAUGE, samples, |metric, value| {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        metric.set_gauge(gauge);
    })
}

pub(crate) fn histogram(name: &str, help: &str, samples: Vec<(Labels, Histogram)>) -> MetricFamily {
    let kind = MetricType::HISTOGRAM;
    family(name, help, kind, samples, Metric::set_histogram)
}

/// The sum of the histograms of all workers.
pub(crate) fn sum<'h>(histograms: impl Iterator<Item = &'h instruments::Histogram>) -> Histogram {
    let (bounds, counts, sum) = instruments::Histogram::total(histograms);
    let mut below = 0;
    let buckets = bounds.iter().zip(&counts).map(|(bound, count)| {
        below += count;
        let mut bucket = Bucket::default();
        bucket.set_upper_bound(*bound);
        bucket.set_cumulative_count(below);
        bucket
    });
    let mut all = Histogram::default();
    all.set_bucket(buckets.collect());
    all.set_sample_count(counts.iter().sum());
    all.set_sample_sum(sum);
    all
}

fn family<V>(
    name: &str,
    help: &str,
    kind: MetricType,
    samples: Vec<(Labels, V)>,
    set: impl Fn(&mut Metric, V),
) -> MetricFamily {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let pairs = labels.into_iter().map(|(name, value)| {
            let mut pair = LabelPair::default();
            pair.set_name(name.to_owned());
            pair.set_value(value);
            pair
        });
        let mut metric = Metric::from_label(pairs.collect());
        set(&mut metric, value);
        metric
    });
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics.collect());
    family
}
