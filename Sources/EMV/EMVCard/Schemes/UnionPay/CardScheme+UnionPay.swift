internal import Documents
internal import JSON

extension CardScheme {
  /// UnionPay (kernel 7): the shape of kernel 3, with its refusals. Its own cryptograms are in no public document, so that
  /// profiles use EMV's common core: the card proves the flow, and no real issuer accepts it.
  public static let unionPay = CardScheme(
    "unionPay", kernelIdentifier: [0x07],
    keys: [QualifiedOptions.ctq, fastAuthentication, OfflineApproval.key, IssuerExchange.key]
  ) { application, image in
    let issuerData = IssuerApplicationData(&application, own: nil, of: "UnionPay")
    let version = application.integer(fastAuthentication) ?? 1
    let options = QualifiedOptions(
      version: issuerData.version, methods: [], signature: version == 0 ? .version0 : .version1,
      issuerData: { issuerData.octets(with: $1) })
    options.compile(&application, &image)
  }

  private static let fastAuthentication = ProfileKey(
    "fastAuthentication", .integer, range: 0...1, default: 1,
    help: """
      The version of the signature of a card that signs (fDDA): 1 covers the payment and tag 9F69; 0 covers tag 9F37 only, and \
      the card gives no tag 9F69.
      """, source: "public implementations of kernel 7")
}

extension CardProfile.Application {
  /// The version of fDDA with which a UnionPay application signs, 0 or 1; 1 when left out. For kernel 7 and only for it.
  public var fastAuthentication: Int? {
    get { schemeKeys["fastAuthentication"]?.integer }
    set { schemeKeys["fastAuthentication"] = newValue.map { JSONValue($0) } }
  }
}
