internal import ArgumentParser

/// How a command prints its results.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// For people.
  case text
  /// JSON, a line for each result.
  case json
}
