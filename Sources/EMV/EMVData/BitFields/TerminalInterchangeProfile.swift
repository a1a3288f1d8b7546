/// Tag 9F53 of JCB: the reader's abilities and requirements (public lists of data elements).
public struct TerminalInterchangeProfile: OptionSet, BitField {
  /// Three bytes, the last in the low eight bits.
  public let rawValue: UInt32

  /// Creates a value of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Byte 1 bit 8: CVM required.
  public static let cvmRequired = Self(rawValue: mask(1, 8))
  /// Byte 1 bit 7: signature.
  public static let signature = Self(rawValue: mask(1, 7))
  /// Byte 1 bit 6: online PIN.
  public static let onlinePIN = Self(rawValue: mask(1, 6))
  /// Byte 1 bit 5: verification on the device.
  public static let onDevice = Self(rawValue: mask(1, 5))
  /// Byte 1 bit 3: transit.
  public static let transit = Self(rawValue: mask(1, 3))
  /// Byte 2 bit 8: issuer update.
  public static let issuerUpdate = Self(rawValue: mask(2, 8))

  /// The names of the bits.
  public static let layout = BitLayout(
    3,
    [
      1: [
        8: "CVM required", 7: "signature supported", 6: "online PIN supported",
        5: "verification on the device supported", 3: "transit reader", 2: "contact chip supported",
        1: "offline PIN supported",
      ],
      2: [8: "issuer update supported"],
    ])
}

extension BitLayout {
  /// Tag 9F52 of JCB: the modes of the reader (public lists of data elements).
  public static let terminalCompatibility = BitLayout(1, [1: [2: "EMV mode supported"]])
}

/// Bits 8 to 5 of tag 9F50 of JCB: the verification that the card wants (public lists of data elements).
public enum CardholderVerificationStatus: UInt8, Sendable {
  /// None.
  case none
  /// Signature.
  case signature
  /// Online PIN.
  case onlinePIN
  /// On the device.
  case onDevice
  /// This, and every higher value.
  case notApplicable

  /// Reads the byte.
  public init(octet: UInt8) { self = Self(rawValue: octet >> 4) ?? .notApplicable }

  /// The verification in words.
  public var words: [String] {
    switch self {
    case .none: ["no verification"]
    case .signature: ["signature"]
    case .onlinePIN: ["online PIN"]
    case .onDevice: ["verified on the device"]
    case .notApplicable: ["not applicable"]
    }
  }
}
