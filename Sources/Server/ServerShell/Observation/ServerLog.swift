internal import Logging
public import Octets

/// The log of a server: one line for each request, and one for each event that its operator must know.
///
/// A line has the name of a route and never a path, and no token, PIN, account number, name or body.
public struct ServerLog: Sendable {
  /// The form of the lines.
  public enum Format: String, CaseIterable, Sendable {
    /// JSON, for programs.
    case json
    /// Text, for people.
    case text
  }

  /// How much an operator must care about a line, in rising order. Each request is `info`, or `error` for a status from 500.
  public enum Level: String, CaseIterable, Sendable {
    case debug, info, notice, warning, error
  }

  let logger: Logger

  /// Creates a log that is not written.
  public init() { logger = Logger(label: "tap-server", factory: { _ in SwiftLogNoOpLogHandler() }) }

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - format: The form of the lines.
  ///   - level: The lowest level that is written.
  ///   - write: Receives each line, without a line feed, on the thread that reports it. It must not block.
  public init(
    _ format: Format, from level: Level = .info, clock: any WallClock = SystemWallClock(),
    write: @escaping @Sendable (_ line: String) -> Void
  ) {
    let lowest = Logger.Level(rawValue: level.rawValue) ?? .info
    logger = Logger(label: "tap-server") { _ in
      LineLogHandler(format: format, clock: clock, write: write, logLevel: lowest)
    }
  }

  /// Reports an event of normal work.
  public func info(_ message: String) { logger.info("\(message)") }
  /// Reports something that the operator should change.
  public func warning(_ message: String) { logger.warning("\(message)") }
  /// Reports a failure.
  public func error(_ message: String) { logger.error("\(message)") }
}
