internal import Octets

extension Duration {
  /// As people say it: in tenths of a second, below a second in milliseconds. What is left until a deadline has many
  /// digits that nobody asked for.
  var shortened: Duration {
    let unit: Int64 = nanoseconds >= 1_000_000_000 ? 100_000_000 : 1_000_000
    let halves = min(nanoseconds, .max - unit) / (unit / 2)
    return .nanoseconds((halves + 1) / 2 * unit)
  }
}
