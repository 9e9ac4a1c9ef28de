"""From a delivery at any door to stored events: dedupe, times, parse, numbers. The only place that writes either."""
