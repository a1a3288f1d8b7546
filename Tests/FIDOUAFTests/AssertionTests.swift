import JOSE
import JSON
import Octets
import Testing

@testable import FIDOUAF

@Suite("Assertions of UAFV1TLV")
struct AssertionTests {
  static func key() throws -> SoftwareKey {
    // The key "Bob" of RFC 7518, appendix C.
    try SoftwareKey([
      "kty": "EC", "crv": "P-256", "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
      "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck", "d": "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
    ])
  }

  /// A raw signature of 64 bytes as the DER of section 3.6.1 of the registry.
  static func sign(_ octets: [UInt8]) throws -> [UInt8] {
    let raw = try key().signature(of: octets)
    func integer(_ part: ArraySlice<UInt8>) -> [UInt8] {
      var digits = Array(part.drop { $0 == 0 })
      if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    let content = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(content.count)] + content
  }

  static let hash = [UInt8](repeating: 0x11, count: 32)

  static func registration() throws -> [UInt8] {
    try RegistrationAssertion.unsigned(
      aaid: Vectors.aaid, finalChallengeHash: hash, keyID: Vectors.keyID,
      publicKey: key().publicKey.subjectPublicKeyInfo
    ).octets(sign: sign)
  }

  @Test func `a registration is read as it was created, and its own key verifies it`() throws {
    let assertion = try RegistrationAssertion(Self.registration())
    #expect(assertion.aaid == Vectors.aaid)
    #expect(assertion.keyID == Vectors.keyID)
    #expect(assertion.finalChallengeHash == Self.hash)
    #expect(assertion.signatureCounter == 0)
    #expect(assertion.registrationCounter == 0)
    #expect(assertion.signatureAlgorithm == .p256ECDSAWithSHA256DER)
    #expect(assertion.publicKeyEncoding == .ecSubjectPublicKeyInfo)
    guard case .surrogate(let signature) = assertion.attestation else {
      Issue.record("not a surrogate attestation")
      return
    }
    let key = try RegisteredPublicKey(assertion.publicKey, assertion.publicKeyEncoding)
    #expect(key.isValid(signature, assertion.signatureAlgorithm, over: assertion.signedOctets))
    #expect(!key.isValid(signature, .p256ECDSAWithSHA256Raw, over: assertion.signedOctets))
    #expect(!key.isValid(signature, assertion.signatureAlgorithm, over: assertion.signedOctets + [0]))
  }

  @Test(arguments: [nil, [UInt8](repeating: 0x22, count: 32)])
  func `an authentication is read as it was created`(transaction: [UInt8]?) throws {
    let octets = try AuthenticationAssertion.unsigned(
      aaid: Vectors.aaid, nonce: [UInt8](repeating: 3, count: 16), finalChallengeHash: Self.hash,
      transactionHash: transaction, keyID: Vectors.keyID
    ).octets(sign: Self.sign)
    let assertion = try AuthenticationAssertion(octets)
    #expect(assertion.mode == (transaction == nil ? .userVerified : .transactionConfirmed))
    #expect(assertion.transactionHash == transaction ?? [])
    #expect(assertion.nonce.count == 16)
    #expect(assertion.signatureCounter == 0)
    let key = try RegisteredPublicKey(Self.key().publicKey.x963, .ecX962Raw)
    #expect(key.isValid(assertion.signature, assertion.signatureAlgorithm, over: assertion.signedOctets))
  }

  @Test func `AAID, algorithms and zero counters have the bytes of the specification`() throws {
    #expect(UAFElement(.aaid, Vectors.aaid.octets).encoded.hex.uppercased() == "0B2E0900463144302331303031")
    let registration = RegistrationAssertion.unsigned(
      aaid: Vectors.aaid, finalChallengeHash: Self.hash, keyID: Vectors.keyID, publicKey: [1]
    ).signedOctets.hex.uppercased()
    for part in ["0B2E0900463144302331303031", "0E2E07000100010200" + "0101", "0D2E08000000000000000000"] {
      #expect(registration.contains(part))
    }
    let authentication = AuthenticationAssertion.unsigned(
      aaid: Vectors.aaid, nonce: [UInt8](repeating: 1, count: 8), finalChallengeHash: Self.hash, transactionHash: nil,
      keyID: Vectors.keyID
    ).signedOctets.hex.uppercased()
    for part in ["0E2E05000100010200", "102E0000", "0D2E040000000000"] { #expect(authentication.contains(part)) }
  }

  @Test func `every prefix of an assertion is refused`() throws {
    let octets = try Self.registration()
    for count in 0..<octets.count {
      #expect(throws: AssertionError.self, "\(count) bytes") { try RegistrationAssertion(Array(octets.prefix(count))) }
    }
    #expect(throws: AssertionError.self) { try RegistrationAssertion(octets + [0]) }
  }

  /// The elements of a registration with one of them replaced, removed or repeated.
  static func changed(_ tag: UAFTag, _ change: (UAFElement) -> [UAFElement]) throws -> [UInt8] {
    func rebuilt(_ element: UAFElement) throws -> [UAFElement] {
      if element.tag == tag { return change(element) }
      guard element.tag.isComposite else { return [element] }
      return [UAFElement(element.tag, try UAFElement.elements(of: element.value).flatMap(rebuilt))]
    }
    return try UAFElement.elements(of: registration()).flatMap(rebuilt).flatMap(\.encoded)
  }

  static let elements: [UAFTag] = [
    .aaid, .assertionInformation, .finalChallengeHash, .keyID, .counters, .publicKey, .signature, .keyRegistrationData,
    .surrogateAttestation,
  ]

  @Test(arguments: elements)
  func `an element that is missing, repeated, empty or too long is refused`(tag: UAFTag) throws {
    let changes: [(UAFElement) -> [UAFElement]] = [
      { _ in [] }, { [$0, $0] }, { [UAFElement($0.tag, [UInt8]())] },
      { [UAFElement($0.tag, $0.value + [UInt8](repeating: 0xEE, count: 4_000))] },
    ]
    for change in changes {
      #expect(throws: AssertionError.self) { try RegistrationAssertion(Self.changed(tag, change)) }
    }
  }

  @Test func `elements in any order and ignorable extensions are accepted`() throws {
    let reversed = try Self.changed(.keyRegistrationData) { element in
      let elements = (try? UAFElement.elements(of: element.value)) ?? []
      return [UAFElement(element.tag, Array(elements.reversed()))]
    }
    #expect(try RegistrationAssertion(reversed).aaid == Vectors.aaid)

    let name = UAFElement(.extensionID, Array("x".utf8))
    let data = UAFElement(.extensionData, [1])
    let extended = try Self.changed(.keyRegistrationData) {
      [UAFElement($0.tag, $0.value + UAFElement(.ignorableExtension, [name, data]).encoded)]
    }
    #expect(try RegistrationAssertion(extended).aaid == Vectors.aaid)

    let critical = try Self.changed(.keyRegistrationData) {
      [UAFElement($0.tag, $0.value + UAFElement(.criticalExtension, [name, data]).encoded)]
    }
    let error = #expect(throws: AssertionError.self) { try RegistrationAssertion(critical) }
    #expect(error?.code == .unacceptableContent)
    #expect(error?.reason == "an extension that must be known is unknown")
  }

  @Test func `an unknown critical tag refuses the assertion, an unknown other tag is ignored`() throws {
    for (tag, isRefused) in [(UAFTag(rawValue: 0x2E7F), true), (UAFTag(rawValue: 0x0E7F), false)] {
      let octets = try Self.changed(.keyRegistrationData) {
        [UAFElement($0.tag, $0.value + UAFElement(tag, [1]).encoded)]
      }
      let assertion = try? RegistrationAssertion(octets)
      #expect((assertion == nil) == isRefused)
    }
  }

  @Test func `mutated assertions are read or refused, and never trap`() throws {
    let valid = try Self.registration()
    var state: UInt64 = 7
    for _ in 0..<50_000 {
      var octets = valid
      for _ in 0..<2 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        octets[Int(state >> 33) % octets.count] = UInt8(truncatingIfNeeded: state >> 8)
      }
      _ = try? RegistrationAssertion(octets)
      _ = try? AuthenticationAssertion(octets)
    }
  }
}

extension UnsignedAssertion {
  /// The assertion with the signature that a closure makes.
  fileprivate func octets(sign: ([UInt8]) throws -> [UInt8]) throws -> [UInt8] {
    octets(signature: try sign(signedOctets))
  }
}
