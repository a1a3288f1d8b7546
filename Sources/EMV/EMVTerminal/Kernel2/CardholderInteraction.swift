internal import EMVData

extension POSCardholderInteractionInformation {
  // Whether the holder has something to do on the phone, and the same payment is tried again then. Open terminals ask for
  // `00030F`; their table of messages sends the holder to the phone for bits 3 and 4 of octet 2, too.
  var needsHolder: Bool { rawValue & 0x000F0F != 0 }
}
