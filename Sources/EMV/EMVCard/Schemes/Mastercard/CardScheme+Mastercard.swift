internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CardScheme {
  /// Mastercard (kernel 2, known from public recordings and terminals' public sources): EMV mode with GENERATE AC,
  /// mag-stripe mode with COMPUTE CRYPTOGRAPHIC CHECKSUM, or both.
  ///
  /// An unarmed card gives its options and its records; the response that would bring the cryptogram asks for a
  /// verification of the cardholder in tag DF4B. A card with a further use for other terms states there that the
  /// context is conflicting: the terminal asks the cardholder to look at the phone instead of declining.
  public static let mastercard = CardScheme(
    "mastercard", kernelIdentifier: [0x02],
    keys: [
      CommandProgram.optionsFormat, CommandProgram.cryptogramFormat, RelayTimes.key, OfflineApproval.key,
      IssuerExchange.key,
    ],
    recordLengths: MastercardTag.lengths, personalisation: mastercardPersonalisation
  ) { application, image in
    let issuerData = IssuerApplicationData(&application, own: versions, of: "Mastercard")
    image.cryptogramVersion = issuerData.version
    let options = CommandProgram.plainOptions(
      &application, image,
      ownTags: [.cvc3Track1, .cvc3Track2, .cardholderInteraction])
    if let options { image.add(options) }
    // Kernel 2 reads from tag 82 byte 2 bit 8 whether there is an EMV mode.
    let hasEMVMode = image.interchangeBits.isSet(octet: 2, bit: 8)
    if hasEMVMode {
      let wish = TLVNode(.cardholderInteraction, MastercardTag.verificationRequired)
      let conflict = TLVNode(.cardholderInteraction, MastercardTag.contextConflict)
      let program = CommandProgram.generateAC(
        &application, &image, issuerData, refusalObjects: [wish], conflictObjects: [conflict])
      if let program { image.add(program) }
    } else {
      // Without effect, but a key that the scheme has.
      _ = application.integer(CommandProgram.cryptogramFormat)
      _ = OfflineApproval(&application, isSigning: false)
      _ = application.signingKey(of: image, with: .cda)
      _ = IssuerExchange.scripts(&application, image)
    }
    let hasTrack = image.recordValue(of: .track2Data) != nil
    image.trackTags = [.track2Data]
    image.needsSequenceNumber = hasEMVMode || !hasTrack
    if let mode = MagStripeMode(image, &application) {
      image.track2 = mode.track2
      image.track1 = mode.track1
      image.add(mode.program)
    }
    let times = RelayTimes(&application)
    if let times { image.add(times.program) }
    check(image, hasTrack: hasTrack, hasRelay: times != nil, &application)
  }

  /// The layout of public decoders.
  private static let versions = IssuerApplicationData.Versions(
    name: "Mastercard",
    byNumber: [16: .mastercard16, 17: .mastercard17, 20: .mastercard20, 21: .mastercard21],
    layout: IssuerApplicationData.Layout(
      resultsCount: 6, furtherCount: 10,
      verified: MastercardCardVerificationResults([.offlinePINPerformed, .offlinePINSuccessful]).octets,
      check: { results, cryptogram in
        let bits: MastercardCardVerificationResults = [
          .offlinePINPerformed, .encipheredPINPerformed, .offlinePINSuccessful, .offlinePINNotPerformed,
          .offlinePINFailed,
        ]
        cryptogram.checkUnverified(results, bits, "cvr")
      },
      authentication: { authentication in
        let bits: MastercardCardVerificationResults =
          switch authentication {
          case .notPerformed: .unableToGoOnline
          case .successful: .issuerAuthenticationPerformed
          case .failed: [.issuerAuthenticationPerformed, .issuerAuthenticationFailed]
          }
        return bits.octets
      }, takesWalletData: true
    ) { keyIndex, version, results, further in [keyIndex, version] + results + further })

  private static func check(
    _ image: ApplicationBuilder, hasTrack: Bool, hasRelay: Bool, _ application: inout ObjectReader
  ) {
    let bits = image.interchangeBits
    if !bits.contains(.onDeviceVerification) {
      application.note("aip", "byte 1 bit 2 must be 1: this card's holder is verified on the device")
    }
    if !bits.isSet(octet: 2, bit: 8), !hasTrack {
      application.note("aip", "byte 2 bit 8 is 0: without EMV mode, tag 9F6B must give a mag-stripe mode")
    }
    if bits.isSet(octet: 2, bit: 1) != hasRelay {
      application.note("aip", "byte 2 bit 1 and relayResistance go together: both or neither")
    }
  }

  private static let mastercardPersonalisation = Personalisation(
    provider: PaymentScheme.mastercard.provider, label: "MASTERCARD",
    cryptogram: { octets in
      MastercardIssuerApplicationData(octets).map { data in
        CardProfile.Cryptogram(
          version: Int(data.cryptogramVersionNumber), derivationKeyIndex: data.derivationKeyIndex.hex,
          cvr: data.cardVerificationResults.hex)
      }
    })
}

/// Values of tags as kernel 2 knows them.
enum MastercardTag {
  /// The lengths of those that the dictionary has for another kernel.
  static let lengths: [Tag: ClosedRange<Int>] = [.numberPositionsTrack2: 2...2, .udol: 1...252]

  /// Tag DF4B byte 2 bit 1: a verification of the cardholder is required. Seen in public recordings of phones.
  static let verificationRequired: [UInt8] = [0x00, 0x01, 0x00]
  /// Tag DF4B byte 2 bit 4: the tap belongs to another payment than the one before. Read in terminals' public sources.
  static let contextConflict: [UInt8] = [0x00, 0x08, 0x00]
  /// Tag DF4B byte 2 bit 5: the verification was successful. Read in terminals' public sources.
  static let verificationSuccessful: [UInt8] = [0x00, 0x10, 0x00]
}
