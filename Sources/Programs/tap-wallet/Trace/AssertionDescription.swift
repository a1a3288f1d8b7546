import FIDOUAF
import Octets

/// Assertions of the scheme UAFV1TLV in words, one line for each element.
enum AssertionDescription {
  static func lines(of octets: [UInt8], at margin: String) -> [String] {
    guard let elements = try? UAFElement.elements(of: octets) else { return ["\(margin)not an assertion"] }
    return elements.flatMap { element -> [String] in
      let name = names[element.tag] ?? "\(element.tag)"
      guard element.tag.isComposite else { return ["\(margin)\(name): \(value(of: element))"] }
      return ["\(margin)\(name), \(element.value.count.bytes)"] + lines(of: element.value, at: margin + "  ")
    }
  }

  private static func value(of element: UAFElement) -> String {
    let octets = element.value
    switch element.tag {
    case .aaid where octets.isPrintable: return String(decoding: octets, as: UTF8.self)
    case .assertionInformation where octets.count >= 5:
      let mode = octets[2] == 1 ? "without a transaction" : "with a transaction shown"
      let number = UInt16(octets[3]) | UInt16(octets[4]) << 8
      let algorithm = algorithms[SignatureAlgorithm(rawValue: number)] ?? "algorithm \(number)"
      return "version \(octets[0]), \(mode), \(algorithm) (\(octets.hex))"
    case .counters where octets.allSatisfy { $0 == 0 }: return "zero"
    case .transactionContentHash where octets.isEmpty: return "none"
    default: return "\(octets.hex) (\(octets.count.bytes))"
    }
  }

  private static let algorithms: [SignatureAlgorithm: String] = [
    .p256ECDSAWithSHA256DER: "ECDSA in DER", .rsaPKCS1WithSHA256DER: "RSA in an OCTET STRING",
  ]

  private static let names: [UAFTag: String] = [
    .registrationAssertion: "registration assertion", .authenticationAssertion: "authentication assertion",
    .keyRegistrationData: "key registration data", .signedData: "signed data",
    .attestationCertificate: "attestation certificate", .signature: "signature",
    .basicFullAttestation: "basic full attestation", .surrogateAttestation: "surrogate basic attestation",
    .keyID: "key identifier", .finalChallengeHash: "hash of the final challenge", .aaid: "AAID",
    .publicKey: "public key", .counters: "counters", .assertionInformation: "assertion information",
    .authenticatorNonce: "nonce", .transactionContentHash: "hash of the transaction",
  ]
}
