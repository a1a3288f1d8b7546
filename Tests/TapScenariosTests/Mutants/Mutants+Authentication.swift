import CardFaults
import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import TapScenarios

/// Offline data authentication: checks that are left out, and what follows a failed one.
extension Mutant {
  static let authentication: [Mutant] = [
    accepting("expired certificate of the issuer accepted", "fdda-issuer-expired"),
    accepting("certificate of another issuer accepted", "fdda-issuer-other"),
    accepting("wrong hash of the certificate of the issuer accepted", "fdda-issuer-hash"),
    accepting("authority key with another index used", "fdda-authority"),
    accepting("expired certificate of the card accepted", "fdda-card-expired"),
    accepting("certificate of another card accepted", "fdda-card-other"),
    accepting("wrong hash of the certificate of the card accepted", "fdda-card-hash"),
    accepting("changed static data accepted", "fdda-static-data"),
    accepting("other tag list accepted", "fdda-tag-list"),
    accepting("changed AIP accepted", "fdda-profile"),
    accepting("expired application approved offline", "application-expired"),
    accepting("expired certificate of the card accepted, kernel 2", "cda-card-expired"),
    accepting("changed static data accepted, kernel 2", "cda-static-data"),
    Mutant(
      fault: "missing certificate of the card accepted",
      response: { response, command, _ in
        guard command.instruction == 0xB2, response.object(0x9F47) != nil, response.object(0x9F46) == nil else {
          return response
        }
        return originals[0x9F46].map { response.adding(TLVNode(0x9F46, $0)) } ?? response
      }),
    qualifiers("failed authentication sent to the host") { $0.with($0[0] | 0x20, at: 0) },
    qualifiers("host not asked after a failed authentication") { $0.with($0[0] & ~0x20, at: 0) },
    qualifiers("other interface not asked for after a failed authentication") { $0.with($0[0] & ~0x10, at: 0) },
    taking("payment with a wrong signature sent to the other interface", 0xA8) { response, _ in
      // The value that OFA-12 gives the tag.
      guard response.object(0x9F69) == [0x01, 0xA1, 0xB2, 0xC3, 0xD4, 0x00, 0x00] else { return response }
      return response.changingObject(0x9F6C) { $0.with($0[0] | 0x10, at: 0) }
    },
    taking("right signature refused", 0xA8) { response, _ in
      response.changingObject(0x9F4B) { $0.with($0[0] ^ 0x01, at: 0) }
    },
    sending("signature not asked for", 0xAE) { command, _ in command.with(command[2] & ~0x18, at: 2) },
    taking("CDA left out", 0xA8) { response, _ in
      response.changingObject(0x80) { $0.with($0[0] & ~0x01, at: 0) }
    },
    taking("object outside the signature accepted", 0xAE) { response, _ in
      response.changingObject(0xDF50) { _ in nil }
    },
    taking("missing signature sent to the host", 0xA8) { response, _ in
      guard response.object(0x9F4B) == nil, response.object(0x9F69) != nil, response.object(0x82)?[0] == 0x20 else {
        return response
      }
      return response.changingQualifiers { $0.with($0[0] | 0x20, at: 0) }
    },
    taking("qualifiers outside the signature believed", 0xA8) { response, _ in response.changingQualifiers { $0 } },
    unreported("failed CDA not reported", 3), unreported("missing data of authentication not reported", 6),
  ]

  private static func qualifiers(_ fault: String, _ change: @escaping @Sendable (Bytes) -> Bytes) -> Mutant {
    taking(fault, 0xA8) { response, _ in
      response.object(0x9F4B) == nil ? response : response.changingObject(0x9F6C, change)
    }
  }

  /// A mutant whose TVR byte 1 never has a bit.
  private static func unreported(_ fault: String, _ bit: UInt8) -> Mutant {
    sending(fault, 0xAE) { command, memory in
      command.changing(0x95, memory.context) { $0.with($0[0] & ~(1 << (bit - 1)), at: 0) }
    }
  }

  /// A mutant that takes the value that a scenario changes for the one that the card was issued with. A scenario without such
  /// a change gives a mutant with a problem.
  static func accepting(
    _ fault: String, _ scenario: String, in folder: String = "OfflineAuthentication"
  ) -> Mutant {
    guard let change = ChangedObject("\(folder)/\(scenario)") else {
      return Mutant(fault: fault, problem: "\(folder)/\(scenario).yaml changes no data object of its card")
    }
    return Mutant(
      fault: fault,
      response: { response, command, _ in
        guard command.instruction == change.instruction, response.object(change.tag) == change.wrong else {
          return response
        }
        return response.changingObject(change.tag) { _ in change.right }
      })
  }

  /// The data objects of the records of the card with fDDA.
  private static let originals = objects(of: "visa-fdda.json")

  /// The data objects of the records of a shipped card, and its AIP; empty for a file that cannot be read.
  static func objects(of card: String) -> [Tag: Bytes] { (try? ChangedObject.objects(of: card)) ?? [:] }
}

/// The data object that a scenario changes on the wire.
private struct ChangedObject {
  let instruction: UInt8
  let tag: Tag
  let wrong: [UInt8]
  let right: [UInt8]

  init?(_ scenario: String) {
    guard let octets = try? [UInt8](Fixtures.data("TerminalTests/\(scenario).yaml")),
      let test = try? TapScenario(parsing: octets).terminalTest, let rule = test.card.plan?.rules.first,
      case .value(let value) = rule.fault, let tag = rule.occasion.tag, let instruction = rule.occasion.instruction,
      let card = test.card.file.split(separator: "/").last,
      let right = try? Self.objects(of: String(card))[tag]
    else { return nil }
    (self.instruction, self.tag, wrong, self.right) = (instruction, tag, value, right)
  }

  /// The data objects of the records of a shipped card, and its AIP.
  static func objects(of card: String) throws -> [Tag: [UInt8]] {
    let application = try JSONValue(parsing: [UInt8](Fixtures.data("Cards/\(card)")))["applications"]?.list?.first
    let lines = application?["records"]?.list?.flatMap { $0["data"]?.list?.compactMap(\.text) ?? [] } ?? []
    let texts = lines + (application?["aip"]?.text.map { ["82 \($0)"] } ?? [])
    let pairs = try texts.map { line in
      let parts = line.split(separator: " ")
      return (DataElement.tag(named: String(parts[0])), try [UInt8](hex: String(parts[1])))
    }
    return Dictionary(pairs.compactMap { tag, value in tag.map { ($0, value) } }) { first, _ in first }
  }
}
