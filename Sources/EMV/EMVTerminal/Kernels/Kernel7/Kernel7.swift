internal import EMVCryptography
internal import EMVData

/// Kernel 7, UnionPay: the flow of kernel 3 with two versions of fDDA. Its book was not read: what it does follows public
/// kernels and terminals.
///
/// - Version 01 of fDDA, first byte of tag 9F69, is that of kernel 3. In version 00, for which tag 9F69 may be missing, the
///   signature covers tag 9F37 of the terminal only. A reader that takes version 01 (tag 9F66 byte 4 bit 8) refuses
///   version 00 from a card whose tag 9F08 is 0030 or higher.
/// - The format of the signature is 05.
///
/// Not built, because no public source describes them: mag-stripe mode, SDA, a cryptogram without tag 9F27, electronic cash,
/// transit, recovery of torn payments.
public enum Kernel7 {
  /// The registration. The keys of an application are those of kernel 3.
  public static let definition = KernelDefinition(
    KernelIdentifier(7), profileKeys: Kernel3.keys, maximumCommandCount: Kernel3.maximumCommandCount,
    recordedMembers: Kernel3.recordedQualifiers,
    read: { application, currencies in Kernel3(reading: &application, currencies, rules: .kernel7) })
}

extension QualifierRules {
  /// Public implementations of kernel 7. A wrong length of tag 9F69 or 9F08 ends the application.
  static let kernel7 = QualifierRules(
    form: .standard, takesVersion0: true, takesStaticData: false, readsTypeOfIssuerData: false,
    showsSpendingAmount: false,
    lengths: [(.cardAuthenticationRelatedData, 5...16), (.cardApplicationVersion, 2...2)])
}

extension TerminalTransactionQualifiers {
  // Byte 4 bit 8: the reader takes fDDA version 01.
  static let fastAuthenticationVersion1 = Self(rawValue: 0x0000_0080)
}
