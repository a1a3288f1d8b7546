public import JSON

/// One problem of a document: its path, its place in the text and a reason.
public struct DocumentProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the value, such as `$.applications[1].limits[0].floor`.
  public let path: String
  /// The place of the value, or of the nearest value around it when the text does not have it.
  public let position: JSONPosition
  /// The value found and the limit. Never card data.
  public let reason: String

  /// Creates a problem.
  public init(_ path: String, at position: JSONPosition = .start, _ reason: String) {
    self.path = path
    self.position = position
    self.reason = reason
  }

  /// `line 3, column 7, $.limits[0].floor: reason`; without the path when it is empty.
  public var description: String { path.isEmpty ? "\(position): \(reason)" : "\(position), \(path): \(reason)" }
}
