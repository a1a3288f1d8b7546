internal import EMVData
internal import ISO7816

/// The header of a command in words (ISO/IEC 7816-4:2013, 5.4; EMV 4.4 Book 3, 6.5; Books C-2, C-3 and C-8).
struct CommandHeaderText {
  let cla: UInt8
  let ins: UInt8
  let p1: UInt8
  let p2: UInt8

  /// The name of the instruction; nil when it is unknown.
  var name: String? {
    if cla == 0xFF { return Self.readerNames[ins] }
    return cla & 0x80 != 0
      ? Self.proprietaryNames[ins] ?? Self.names[ins] : Self.names[ins] ?? Self.proprietaryNames[ins]
  }

  /// Whether the command data hold a PIN or keys.
  var carriesSecret: Bool { SecretCommands.carriesSecret(cla: cla, ins: ins) }

  /// The class byte in words.
  var classText: String {
    guard cla != 0xFF else { return "for the reader (PC/SC part 3)" }
    let kind = cla & 0x80 == 0 ? "interindustry" : "proprietary"
    if cla & 0x40 != 0 { return "\(kind), channel \(4 + cla & 0x0F)\(cla & 0x20 != 0 ? ", secure messaging" : "")" }
    let chaining = cla & 0x10 != 0 ? ", more commands of the chain follow" : ""
    let messaging = ["", ", proprietary secure messaging", ", secure messaging", ", secure messaging with header"]
    let channel = cla & 0x03 == 0 ? "" : ", channel \(cla & 0x03)"
    return kind + channel + messaging[Int(cla >> 2 & 0x03)] + chaining
  }

  /// P1 and P2 in words.
  var parameters: (p1: String, p2: String) {
    switch ins {
    case Instruction.select: (Self.selections[p1] ?? "", selection)
    case Instruction.readRecord: ("record \(p1)", record)
    case Instruction.generateAC where cla & 0x80 != 0: (cryptogram, "")
    case 0x2A where cla & 0x80 != 0 && p1 == 0x8E && p2 == 0x80: ("dynamic CVC3", "of the data that the UDOL names")
    case 0x24 where cla & 0x80 != 0: ("", Self.pinChanges[p2] ?? "")
    case Instruction.getData where cla == 0xFF: (Self.readerData[p1] ?? "", "")
    case Instruction.getData: ("", "data object \(dataObject)")
    case 0xDA where cla & 0x80 != 0: ("", "data object \(dataObject)")
    case 0x20: ("", Self.verifications[p2] ?? "")
    default: ("", "")
    }
  }

  /// What a contactless PC/SC reader returns itself (PC/SC part 3, 2.01.09, 3.2.2.1.3).
  private static let readerData: [UInt8: String] = [
    0x00: "the card's identifier (UID)", 0x01: "the card's answer to select (ATS)",
  ]

  /// The data object that P1-P2 name (GET DATA, PUT DATA).
  var dataObjectTag: Tag { Tag(rawValue: UInt32(p1) << 8 | UInt32(p2)) }

  private var dataObject: String {
    let tag = dataObjectTag
    return "\(tag) \(DataElement.named(tag)?.name ?? "unknown")"
  }

  private var selection: String {
    let occurrence = ["first or only", "last", "next", "previous"][Int(p2 & 0x03)] + " occurrence"
    return occurrence
      + [", FCI requested", ", FCP requested", ", FMD requested", ", no response requested"][Int(p2 >> 2 & 0x03)]
  }

  private var record: String {
    let file = p2 >> 3 == 0 ? "the current file" : "SFI \(p2 >> 3)"
    return file + (p2 & 0x07 == 0x04 ? "" : ", addressing \(p2 & 0x07)")
  }

  private var cryptogram: String {
    let type = CryptogramType(cryptogramInformationData: p1)?.rawValue ?? "reserved type"
    return type + (p1 & 0x10 != 0 ? ", signature requested (CDA)" : "")
  }

  private static let selections: [UInt8: String] = [
    0x00: "by file identifier", 0x01: "a child directory", 0x02: "an elementary file below",
    0x03: "the parent directory",
    0x04: "by name", 0x08: "by path from the master file", 0x09: "by path from the current directory",
  ]

  private static let verifications: [UInt8: String] = [0x80: "plaintext PIN", 0x88: "enciphered PIN"]

  // EMV 4.4 Book 3, 6.5.10.
  private static let pinChanges: [UInt8: String] = [
    0x00: "unblock", 0x01: "change, with the current PIN", 0x02: "change, without the current PIN",
  ]

  private static let names: [UInt8: String] = [
    0x04: "DEACTIVATE FILE", 0x20: "VERIFY", 0x21: "VERIFY", 0x22: "MANAGE SECURITY ENVIRONMENT",
    0x24: "CHANGE REFERENCE DATA", 0x2A: "PERFORM SECURITY OPERATION", 0x2C: "RESET RETRY COUNTER",
    0x44: "ACTIVATE FILE", 0x70: "MANAGE CHANNEL", 0x82: "EXTERNAL AUTHENTICATE", 0x84: "GET CHALLENGE",
    0x86: "GENERAL AUTHENTICATE", 0x88: "INTERNAL AUTHENTICATE", 0xA4: "SELECT", 0xB0: "READ BINARY",
    0xB1: "READ BINARY", 0xB2: "READ RECORD", 0xB3: "READ RECORD", 0xC0: "GET RESPONSE", 0xC2: "ENVELOPE",
    0xCA: "GET DATA", 0xCB: "GET DATA", 0xD0: "WRITE BINARY", 0xD6: "UPDATE BINARY", 0xDA: "PUT DATA",
    0xDC: "UPDATE RECORD", 0xE2: "APPEND RECORD",
  ]

  private static let proprietaryNames: [UInt8: String] = [
    0x16: "CARD BLOCK", 0x18: "APPLICATION UNBLOCK", 0x1E: "APPLICATION BLOCK", 0x24: "PIN CHANGE/UNBLOCK",
    0x2A: "COMPUTE CRYPTOGRAPHIC CHECKSUM", 0x50: "INITIALIZE UPDATE", 0xA8: "GET PROCESSING OPTIONS",
    0xAE: "GENERATE AC", 0xD0: "RECOVER AC", 0xD8: "PUT KEY", 0xE2: "STORE DATA",
    0xEA: "EXCHANGE RELAY RESISTANCE DATA",
  ]

  // PC/SC part 3, 3.2.2.
  private static let readerNames: [UInt8: String] = [
    0x82: "LOAD KEYS", 0x86: "GENERAL AUTHENTICATE", 0xB0: "READ BINARY", 0xCA: "GET DATA", 0xD6: "UPDATE BINARY",
  ]
}

/// The names of instructions.
public enum InstructionNames {
  /// Returns the name of a command's instruction, or nil when the header is cut off or the instruction is unknown.
  public static func name(of command: [UInt8]) -> String? {
    guard command.count >= 4 else { return nil }
    return CommandHeaderText(cla: command[0], ins: command[1], p1: command[2], p2: command[3]).name
  }

  /// Whether the data of a command are a PIN or keys.
  static func carriesSecret(_ command: [UInt8]) -> Bool {
    command.count >= 4 && SecretCommands.carriesSecret(cla: command[0], ins: command[1])
  }

  /// Whether bytes are exactly one well-formed command with a known instruction.
  public static func isKnownCommand(_ octets: [UInt8]) -> Bool {
    // FF is for a reader, and A0 for a SIM card (GSM 11.11, 9.2).
    let isClass = [0xA0, 0xFF].contains(octets.first) || (octets.first ?? 0xFF) & 0x60 == 0
    guard octets.count >= 4, isClass, name(of: octets) != nil else { return false }
    return (try? CommandLayout(parsing: octets.span)) != nil
  }
}
