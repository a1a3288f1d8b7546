import Fixtures
import Foundation
import Testing

/// `Fixtures/Vectors/verified/aes_selfcomputed.json`: values of this project's reading of the book, computed again with
/// two AES libraries.
struct AESVectors: Decodable, Sendable, CustomTestStringConvertible {
  let imk: String
  let pan: String
  let psn: String
  let icc_mk_option_c: String
  let atc: String
  let sk_ac: String
  let ac_input: String
  let ac: String
  let arc: String
  let arpc_method1: String
  let csu: String
  let arpc_method2: String
  let sk_sm_with_R_arqc: String

  var testDescription: String { "key \(imk.prefix(4)), PAN of \(pan.count) digits" }

  static let all: [AESVectors] = readVectors("aes_selfcomputed.json")
}

/// `Fixtures/Vectors/verified/computed_cvc3.json`: computed by formula.
struct CVC3Vectors: Decodable, Sendable, CustomTestStringConvertible {
  let track: String
  let kd_cvc3: String
  let iv_cvc3: String
  let un: String
  let atc: String
  let cvc3: String
  let cvc3_decimal: String

  var testDescription: String { track }

  static let all: [CVC3Vectors] = readVectors("computed_cvc3.json")
}

private struct VectorFile<Vector: Decodable>: Decodable {
  let vectors: [Vector]
}

private func readVectors<Vector: Decodable>(_ name: String) -> [Vector] {
  do {
    let data = try Fixtures.data("Vectors/verified/" + name)
    return try JSONDecoder().decode(VectorFile<Vector>.self, from: data).vectors
  } catch {
    fatalError("\(name) cannot be read: \(error)")
  }
}
