import ProgramSupport

extension CommandHelp.Variable {
  /// The default of `--reader`.
  static let reader = Self(DefaultPlace.readerVariable, "the reader when --reader is left out")
  /// The default of `--link`.
  static let link = Self(DefaultPlace.linkVariable, "the link when --link is left out")
  /// The service of PC/SC readers.
  static let pcscd = Self("PCSCLITE_CSOCK_NAME", "the socket of pcscd")
  /// The devices of libnfc.
  static let libnfc = Self("LIBNFC_DEVICE", "a device that libnfc does not find by itself")
}
