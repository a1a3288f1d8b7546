public import ISO7816

/// The issuer security domain of a card, which manages its applications and is no payment application.
public enum SecurityDomain {
  // The identifiers that GlobalPlatform registers, and the one of Visa's Open Platform that older cards use.
  private static let identifiers: [[UInt8]] = [
    [0xA0, 0x00, 0x00, 0x01, 0x51, 0x00, 0x00], [0xA0, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00],
  ]

  /// Whether an application identifier is that of an issuer security domain.
  public static func isNamed(by application: [UInt8]) -> Bool {
    identifiers.contains { application.starts(with: $0) }
  }
}

extension DataElement {
  /// Returns the entry of a tag as an application defines it, or nil when the dictionary does not have it.
  ///
  /// - Parameter application: The selected application; nil for the definition of the EMV books.
  public static func named(_ tag: Tag, application: AID?) -> DataElement? {
    guard let application else { return named(tag) }
    if SecurityDomain.isNamed(by: application.octets) { return securityDomainElements[tag] ?? named(tag) }
    return named(tag, kernel: ContactlessKernel(application: application))
  }

  /// The definitions of the kernels that a value fits, beside the one of the EMV books: a tag alone does not say which
  /// application sent it.
  public static func otherReadings(of tag: Tag, _ value: [UInt8]) -> [(kernel: ContactlessKernel, element: DataElement)]
  {
    let common = named(tag)?.name
    return ContactlessKernel.allCases.compactMap { kernel in
      guard let element = kernelElements[kernel]?[tag], element.name != common, element.allows(value) else {
        return nil
      }
      return (kernel, element)
    }
  }

  // The response to SELECT of a security domain (GlobalPlatform Card Specification 2.3.1, 11.9.3.1).
  static let securityDomainElements: [Tag: DataElement] = {
    let source = "GlobalPlatform Card Specification 2.3.1, 11.9.3.1"
    return [
      0x73: DataElement(0x73, "Security Domain Management Data", .template, 0...252, .card, source),
      0x9F65: DataElement(0x9F65, "Maximum Length of Data Field in Command Message", .binary, 1...2, .card, source),
      0x9F6E: DataElement(0x9F6E, "Application Production Life Cycle Data", .binary, 0...252, .card, source),
    ]
  }()
}
