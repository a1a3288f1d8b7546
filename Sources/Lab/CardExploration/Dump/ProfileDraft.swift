internal import EMVCard
internal import EMVData
internal import ISO7816
public import JSON
internal import Octets
public import Transcripts

/// A card profile made of what a card gave without a payment. It has no keys: a profile never has.
///
/// Each application becomes data groupings, which `PersonalisedCard` maps as it maps those of a file.
public struct ProfileDraft {
  /// The profile as JSON; nil when no application gave enough.
  public private(set) var json: JSONValue?
  /// What is assumed or missing.
  public private(set) var notes: [String] = []

  private struct Application {
    var information: [UInt8]
    var options: [TLVNode] = []
    var records: [(sfi: UInt8, number: UInt8, data: [UInt8])] = []
    var counter: [UInt8]?
  }

  /// Reads the exchanges of a dump, which was redacted before if it has to be.
  public init(_ transcript: Transcript) {
    for application in Self.applications(in: transcript) { add(application) }
  }

  private static func applications(in transcript: Transcript) -> [Application] {
    var found: [Application] = []
    for exchange in transcript.exchanges {
      guard let (command, response) = exchange.accepted else { continue }
      switch command.ins {
      case Instruction.select where command.data != FileControlInformation.ppseName:
        found.append(Application(information: response.data))
      case Instruction.getProcessingOptions where !found.isEmpty:
        found[found.count - 1].options = ZeroAmountOptions.objects(response.data)
      case Instruction.readRecord where !found.isEmpty:
        found[found.count - 1].records.append((command.p2 >> 3, command.p1, response.data))
      case Instruction.getData where !found.isEmpty && command.p1 == 0x9F && command.p2 == 0x17:
        found[found.count - 1].counter = response.data
      default: break
      }
    }
    return found
  }

  private mutating func add(_ application: Application) {
    let name = (try? FileControlInformation(parsing: application.information))?.dfName ?? []
    var groupings = [DataGrouping(0x9103, application.information)]
    if !application.options.isEmpty { groupings.append(DataGrouping(0x9115, application.options.encoded)) }
    if !application.options.contains(where: { $0.tag == .issuerApplicationData }), let assumed = Self.assumed(name) {
      notes.append("\(name.hex): tag 9F10 comes with a cryptogram only; \(assumed.text) is assumed")
      groupings.append(DataGrouping(0x9200, TLVNode(.issuerApplicationData, assumed.data).encoded))
    }
    if let counter = application.counter { groupings.append(DataGrouping(0x9010, counter)) }
    groupings += application.records.map { DataGrouping(UInt16($0.sfi) << 8 | UInt16($0.number), $0.data) }
    do {
      let file = PersonalisationFile(groupings)
      try add(JSONValue(parsing: PersonalisedCard(file).profile.json), name)
    } catch let error as PersonalisationError {
      for problem in error.problems { notes.append("\(name.hex) is left out: \(problem.message)") }
    } catch {
      notes.append("\(name.hex) is left out: \(error)")
    }
  }

  private mutating func add(_ verified: JSONValue, _ name: [UInt8]) throws {
    let unsigned = (verified["applications"]?.list ?? []).map { withoutSignatures($0, name) }
    let applications = unsigned.map(UnverifiedProfile.application)
    let profile = verified.setting("applications", to: JSONValue(applications.map(\.value)))
    for changes in applications.map(\.changes) where !changes.isEmpty {
      notes.append(
        "\(name.hex): the cardholder was verified before; the draft has \(changes.joined(separator: " and "))")
    }
    do {
      _ = try CardImage(json: Array(profile.pretty.utf8))
    } catch {
      notes.append("\(name.hex) is not complete yet: \(error)")
    }
    guard let json, let first = json["applications"]?.list, let further = profile["applications"]?.list else {
      json = profile
      return
    }
    self.json = json.setting("applications", to: JSONValue(first + further))
  }

  /// An application that does not promise offline data authentication: no card gives the key for it (EMV 4.4 Book 3, table 37).
  private mutating func withoutSignatures(_ application: JSONValue, _ name: [UInt8]) -> JSONValue {
    guard let text = application["aip"]?.text, let octets = try? [UInt8](hex: text), octets.count == 2,
      octets[0] & 0x61 != 0, application["certificationAuthority"] == nil
    else { return application }
    let cleared = [octets[0] & ~0x61, octets[1]].hex
    notes.append(
      "\(name.hex): the card signs, and its key is not known; the draft has aip \(cleared) in place of \(octets.hex)")
    return application.setting("aip", to: JSONValue(cleared))
  }

  /// Issuer application data of a card that gives them with GENERATE AC only: an ARQC and zeros.
  private static func assumed(_ name: [UInt8]) -> (text: String, data: [UInt8])? {
    guard PaymentScheme.of(name)?.kernel == .mastercard else { return nil }
    return (
      "cryptogram version 16",
      [0x01, 0x10, 0xA0, 0x00] + [UInt8](repeating: 0, count: 14)
    )
  }
}
