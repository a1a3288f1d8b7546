import Foundation
import ProgramSupport
import TapLatency
import POSIX

/// The file of `tap bench --save`.
enum BenchFile {
  static func report(_ path: String) throws -> BenchmarkReport {
    do {
      return try JSONDecoder().decode(BenchmarkReport.self, from: Data(InputFile.read(path)))
    } catch let error as DecodingError {
      throw InputError(
        description: "\(path) is no result of tap bench --save: \(error.place)", code: .file, exit: .notRight)
    }
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
