public import EMVData

/// The cardholder verification of kernel 2 in EMV mode. That a device which verifies its holder needs no list, and the
/// results `010002` above the CVM required limit and `3F0002` up to it, are from open terminals; `010002` with AIP 1B80
/// is confirmed by a public recording of a phone's payment.
public enum Kernel2Verification {
  /// The values that the conditions of the rules compare.
  public typealias Context = CardholderVerification.Context
  /// The chosen method and what it writes into the terminal's data.
  public typealias Choice = CardholderVerification.Choice

  /// The choice for a device that verifies its holder.
  public static func onDevice(isRequired: Bool) -> Choice {
    isRequired ? Choice(.consumerDevice, [0x01, 0x00, 0x02]) : Choice(.none, [0x3F, 0x00, 0x02])
  }

  /// The choice for an application without cardholder verification. See `CardholderVerification.notSupported`.
  public static var notSupported: Choice { CardholderVerification.notSupported }

  /// Returns the first rule of tag 8E that applies and succeeds. See `CardholderVerification.choose`.
  public static func choose(_ list: CardholderVerificationMethodList?, _ context: Context) -> Choice {
    CardholderVerification.choose(list, context)
  }
}
