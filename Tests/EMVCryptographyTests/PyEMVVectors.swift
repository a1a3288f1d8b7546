import EMVCryptography
import EMVData
import Fixtures
import Foundation
import Octets
import Testing

/// The vectors of `Fixtures/Vectors/pyemv` by function.
enum PyEMVVectors {
  /// A class of the package: one cryptogram version with all computations of issuer and card.
  struct Session: Decodable, Sendable {
    let results: [String: [KnownAnswer]]
    let masterKeys: [String: String]
    let sessionKeys: [String: String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      masterKeys = try container.decode([String: String].self, forKey: Name("_icc_keys"))
      sessionKeys = try container.decode(
        [String: String].self, forKey: Name("_session_keys_all_derivations_of_this_class_family"))
      results = try container.allKeys.filter { !$0.stringValue.hasPrefix("_") }.reduce(into: [:]) {
        $0[$1.stringValue] = try container.decode([KnownAnswer].self, forKey: $1)
      }
    }
  }

  private struct File: Decodable {
    let lists: [String: [KnownAnswer]]
    let sessions: [String: Session]
    let issuerKeys: [String: String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      sessions = try container.decode([String: Session].self, forKey: Name("cvn_sessions"))
      issuerKeys = try container.decode([String: String].self, forKey: Name("issuer_keys_for_cvn_sessions"))
      lists = try container.allKeys.filter { $0.stringValue.contains(".") }.reduce(into: [:]) {
        $0[$1.stringValue] = try container.decode([KnownAnswer].self, forKey: $1)
      }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let file: File = {
    do {
      return try JSONDecoder().decode(File.self, from: Fixtures.data("Vectors/pyemv/vectors.json"))
    } catch {
      fatalError("the pyemv vectors cannot be read: \(error)")
    }
  }()

  static var lists: [String: [KnownAnswer]] { file.lists }
  static var sessions: [String: Session] { file.sessions }

  /// The version of each class of the package.
  static let versions: [String: CryptogramVersion] = [
    "VisaCVN10": .visa10, "VisaCVN18": .visa18, "VisaCVN22": .visa22, "InteracCVN133": .interac133,
    "MasterCardCVN16": .mastercard16, "MasterCardCVN17": .mastercard17, "MasterCardCVN20": .mastercard20,
    "MasterCardCVN21": .mastercard21,
  ]

  static func list(_ name: String) -> [KnownAnswer] { lists[name] ?? [] }

  /// The results of one kind of all versions.
  static func results(_ kind: String) -> [SessionAnswer] {
    sessions.sorted { $0.key < $1.key }.flatMap { name, session in
      (session.results[kind] ?? []).map { SessionAnswer(name: name, answer: $0) }
    }
  }

  /// The card's keys, derived from the issuer's by the version's rule.
  static func cardKeys(_ version: CryptogramVersion) throws -> CardMasterKeys {
    let keys = file.issuerKeys
    let texts = try ["iss_mk_ac", "iss_mk_smi", "iss_mk_smc", "pan", "psn"].map { try #require(keys[$0]) }
    let number = try #require(PrimaryAccountNumber(digits: texts[3]))
    let sequence = try octets(texts[4])[0]
    let cryptogram = try secret(texts[0])
    let integrity = try secret(texts[1])
    let confidentiality = try secret(texts[2])
    let issuer = CardMasterKeys(
      cryptogram: cryptogram, scriptIntegrity: integrity, scriptConfidentiality: confidentiality)
    return CardMasterKeys(
      derivedFrom: issuer, version.derivation, accountNumber: number, sequenceNumber: sequence)
  }
}

/// One result of a version.
struct SessionAnswer: Sendable, CustomTestStringConvertible {
  let name: String
  let answer: KnownAnswer

  var testDescription: String { name + ": " + answer.testDescription }

  func version() throws -> CryptogramVersion { try #require(PyEMVVectors.versions[name]) }

  /// The counter and the unpredictable number, which all results of a version share.
  func transaction() throws -> (atc: UInt16, unpredictableNumber: UInt32) {
    let made = try #require(PyEMVVectors.sessions[name]?.results["generate_ac"]?.first)
    return try (made.integer("tag_9f36"), made.integer("tag_9f37"))
  }
}
