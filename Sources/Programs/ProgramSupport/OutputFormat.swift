public import ArgumentParser

/// How a command prints its results.
public enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// For people.
  case text
  /// JSON, a line for each result.
  case json
}
