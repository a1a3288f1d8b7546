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

/// Tag 9F52 of JCB: the modes of the reader (public lists of data elements).
public struct TerminalCompatibilityIndicator: OptionSet, BitField {
  /// One byte.
  public let rawValue: UInt8

  /// Creates a value of its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Bit 2: EMV mode.
  public static let emvMode = Self(rawValue: mask(1, 2))

  /// The names of the bits.
  public static let layout = BitLayout(
    1, [1: [2: "EMV mode supported"]])
}

/// Tag 9F50 of JCB: the verification that the card wants (public lists of data elements).
public struct CardholderVerificationStatus: Hashable, Sendable {
  /// The methods of bits 8 to 5.
  public enum Method: Sendable {
    /// 0: none.
    case none
    /// 1.
    case signature
    /// 2.
    case onlinePIN
    /// 3: on the device.
    case onDevice
    /// Any other value.
    case notApplicable
  }

  /// The byte.
  public let rawValue: UInt8

  /// Creates a status of its byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The method.
  public var method: Method {
    switch rawValue >> 4 {
    case 0: .none
    case 1: .signature
    case 2: .onlinePIN
    case 3: .onDevice
    default: .notApplicable
    }
  }

  /// The method in words.
  public var words: [String] {
    switch method {
    case .none: ["no verification"]
    case .signature: ["signature"]
    case .onlinePIN: ["online PIN"]
    case .onDevice: ["verified on the device"]
    case .notApplicable: ["not applicable"]
    }
  }
}
