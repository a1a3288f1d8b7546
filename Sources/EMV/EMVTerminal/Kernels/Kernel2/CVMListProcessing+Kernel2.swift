extension CVMListProcessing {
  /// The choice of kernel 2 in EMV mode for a device that verifies its holder. That such a device needs no list, and the
  /// results `010002` above the CVM required limit and `3F0002` up to it, are from open terminals; `010002` with AIP 1B80
  /// is confirmed by a public recording of a phone's payment.
  public static func onDevice(isRequired: Bool) -> Choice {
    isRequired ? Choice(.consumerDevice, [0x01, 0x00, 0x02]) : Choice(.none, [0x3F, 0x00, 0x02])
  }
}
