import Fixtures
import Foundation
import Octets

/// The vectors of `Fixtures/Vectors/pyemv`, as far as what they test is implemented.
struct PyEMVVectors: Decodable {
  struct MasterKey: Decodable, CustomStringConvertible {
    struct Arguments: Decodable {
      let iss_mk: String
      let pan: String
      let psn: String?
    }
    let args: Arguments
    let out: String
    var description: String { "PAN of \(args.pan.count) digits, PSN \(args.psn ?? "absent")" }
  }

  struct SessionKey: Decodable, CustomStringConvertible {
    struct Arguments: Decodable {
      let icc_mk: String
      let r: String
    }
    let args: Arguments
    let out: String
    var description: String { "R \(args.r)" }
  }

  struct MAC: Decodable, CustomStringConvertible {
    struct Arguments: Decodable {
      let key1: String
      let key2: String
      let data: String
      let padding: Int
      let length: Int?
    }
    let args: Arguments
    let out: String
    var description: String { "\(args.data.count / 2) octets, padding method \(args.padding)" }
    /// Halves of two DES keys each are no EMV key.
    var hasDoubleLengthKey: Bool { args.key1.count == 16 && args.key2.count == 16 }
  }

  struct Session: Decodable {
    struct Cryptogram: Decodable {
      let args: [String: String?]
      let out: String
    }
    struct Keys: Decodable { let icc_mk_ac: String }
    let generate_ac: [Cryptogram]
    let _icc_keys: Keys
  }

  struct Contents: Decodable {
    let cvn_sessions: [String: Session]
    let optionA: [MasterKey]
    let optionB: [MasterKey]
    let sessionKeys: [SessionKey]
    let macs: [MAC]

    enum CodingKeys: String, CodingKey {
      case cvn_sessions
      case optionA = "kd.derive_icc_mk_a"
      case optionB = "kd.derive_icc_mk_b"
      case sessionKeys = "kd.derive_common_sk"
      case macs = "mac.mac_iso9797_3"
    }
  }

  static let all: Contents = {
    do {
      return try JSONDecoder().decode(Contents.self, from: Fixtures.data("Vectors/pyemv/vectors.json"))
    } catch {
      fatalError("the pyemv vectors cannot be read: \(error)")
    }
  }()
}

func octets(_ hex: String) throws -> [UInt8] { try [UInt8](hex: hex) }

func secret(_ hex: String) throws -> Secret {
  let value = try octets(hex)
  return Secret(copying: value)
}

func exposedHex(_ secret: borrowing Secret) -> String { secret.withExposedOctets { $0.hex } }
