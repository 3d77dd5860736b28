//! Builds metric families from values that are read, not registered.

use std::sync::Arc;

use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};

use super::counters::WorkerCounters;
use super::instruments;

/// Label names and values.
pub(crate) type Labels = Vec<(&'static str, String)>;

pub(crate) fn counter(name: &str, help: &str, samples: Vec<(Labels, f64)>) -> MetricFamily {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let mut metric = labelled(labels);
        let mut counter = Counter::default();
        counter.set_value(value);
        metric.set_counter(counter);
        metric
    });
    family(name, help, MetricType::COUNTER, metrics.collect())
}

pub(crate) fn gauge(name: &str, help: &str, samples: Vec<(Labels, f64)>) -> MetricFamily {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let mut metric = labelled(labels);
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        metric.set_gauge(gauge);
        metric
    });
    family(name, help, MetricType::GAUGE, metrics.collect())
}

/// One histogram for each of `labels`, summed over all workers.
pub(crate) fn histograms<'w>(
    name: &str,
    help: &str,
    workers: &'w [Arc<WorkerCounters>],
    labels: impl IntoIterator<Item = Labels>,
    read: impl Fn(&'w WorkerCounters, usize) -> &'w instruments::Histogram,
) -> MetricFamily {
    let metrics = labels.into_iter().enumerate().map(|(index, labels)| {
        let mut metric = labelled(labels);
        metric.set_histogram(sum(workers.iter().map(|worker| read(worker, index))));
        metric
    });
    family(name, help, MetricType::HISTOGRAM, metrics.collect())
}

/// One histogram, summed over all workers.
pub(crate) fn histogram<'w>(
    name: &str,
    help: &str,
    workers: &'w [Arc<WorkerCounters>],
    read: impl Fn(&'w WorkerCounters) -> &'w instruments::Histogram,
) -> MetricFamily {
    let one = [Labels::new()];
    histograms(name, help, workers, one, |worker, _| read(worker))
}

fn sum<'h>(histograms: impl Iterator<Item = &'h instruments::Histogram>) -> Histogram {
    let mut counts: Vec<u64> = Vec::new();
    let mut bounds: &[f64] = &[];
    let mut sum = 0.0;
    for histogram in histograms {
        bounds = histogram.bounds();
        sum += histogram.sum();
        counts.resize(bounds.len() + 1, 0);
        for (total, count) in counts.iter_mut().zip(histogram.counts()) {
            *total += count;
        }
    }
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

fn family(name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}

fn labelled(labels: Labels) -> Metric {
    let pairs = labels.into_iter().map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.to_owned());
        pair.set_value(value);
        pair
    });
    Metric::from_label(pairs.collect())
}
