import Foundation
import JSON
import ProgramSupport
import TapLatency
import POSIX

/// The file of `tap bench --save`.
enum BenchFile {
  /// Reads a result.
  ///
  /// - Parameter name: What it is, for an error.
  static func saved(_ text: Data, named name: String) throws -> SavedBenchmark {
    do {
      let saved = try JSONDecoder().decode(SavedBenchmark.self, from: text)
      guard (try? JSONValue(parsing: [UInt8](text))).map(isPossible) == true else {
        throw InputError(
          description: "\(name) has a time or a count outside 0...\(largest)", code: .file, exit: .notRight)
      }
      return saved
    } catch let error as DecodingError {
      throw InputError(
        description: "\(name) is no result of tap bench --save: \(error.place)", code: .file, exit: .notRight)
    }
  }

  /// About twelve days in nanoseconds: sums of such times cannot overflow.
  private static let largest = 1_000_000_000_000_000

  /// Whether every number is one that a measurement can have.
  private static func isPossible(_ value: JSONValue) -> Bool {
    if let number = value.number { return (0...Double(largest)).contains(number) }
    return (value.list ?? []).allSatisfy(isPossible) && (value.members ?? []).allSatisfy { isPossible($0.value) }
  }

  /// Whether a file is a card profile.
  static func isCard(_ octets: [UInt8]) -> Bool {
    let object = try? JSONSerialization.jsonObject(with: Data(octets)) as? [String: Any]
    return object?["applications"] != nil
  }
}

/// The JSON of `tap bench`: the report, and with `--compare` the comparison.
struct BenchOutput: Encodable {
  let report: BenchmarkReport
  let comparison: BenchmarkComparison?

  private enum CodingKeys: String, CodingKey {
    case comparison
  }

  func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(comparison, forKey: .comparison)
  }
}

extension DecodingError {
  /// Where the JSON differs from what is expected, without its values.
  fileprivate var place: String {
    switch self {
    case .keyNotFound(let key, _): "the key \"\(key.stringValue)\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "the value of \"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has another type"
    case .dataCorrupted: "it is not JSON"
    @unknown default: "it cannot be read"
    }
  }
}
