internal import Fixtures
internal import Foundation
public import Testing

/// A document with mistakes of `Fixtures/WrongDocuments`, and the problems that its reader reports.
public struct WrongDocument: Decodable, Sendable, CustomTestStringConvertible {
  /// What is wrong.
  public let name: String
  /// The kind of document, which selects the reader.
  public let kind: String
  /// The text.
  public let document: String
  /// The problems in their order.
  public let problems: [String]

  /// The documents of a file.
  ///
  /// - Parameter file: The name of the file without its ending.
  public static func all(_ file: String) throws -> [WrongDocument] {
    try JSONDecoder().decode([WrongDocument].self, from: Fixtures.data("WrongDocuments/\(file).json"))
  }

  /// Kind and name.
  public var testDescription: String { "\(kind): \(name)" }
}
