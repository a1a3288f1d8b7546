import DeviceAuthentication
import DeviceLink
import Testing

/// The messages on the socket of a device.
struct MessageTests {
  private static func key(_ count: Int) -> KeyIdentifier {
    guard let key = KeyIdentifier([UInt8](repeating: 0x5A, count: count)) else { fatalError("1 to 64 bytes") }
    return key
  }

  private static let creations: [LinkRequest] = [
    .createKey(.sealing, counting: true), .createKey(.signing, counting: false),
  ]

  private static let lists: [LinkReply] = [
    .keys([]),
    .keys(Array(repeating: ListedKey(identifier: key(64), kind: nil, isCounting: true), count: LinkReply.keysPerReply)),
    .keys([ListedKey(identifier: key(1), kind: .signing, isCounting: false)]),
  ]

  static let requests: [LinkRequest] =
    [
      .enrolment, .verifyBiometric(prompt: "Pay 12,34 €", offeringPasscode: true),
      .verifyBiometric(prompt: "", offeringPasscode: false),
      .verifyPasscode(prompt: String(repeating: "a", count: 1024)), .lockState, .lockEpoch, .cancel,
      .sign(digest: [UInt8](0..<32), key(64)), .sign(digest: [], key(1)),
    ] + creations
    + [.accessKey(key(1)), .unseal(key(64)), .publicKey(key(2)), .deleteKey(key(3)), .counter(key(4))]
    + [
      .advanceCounter(key(5), from: .max), .status(key(5), needsEnrolment: true), .listKeys(after: nil),
      .listKeys(after: key(64)),
    ]

  private static let invalidations: [KeyInvalidation] = [
    .lockRemoved(keyEpoch: LockEpoch(rawValue: 1), presentEpoch: LockEpoch(rawValue: .max)), .keyGone,
    .enrolmentChanged, .enrolmentRemoved, .attemptsExhausted, .otherDevice, .refused(code: 0x921),
  ]

  private static let errors: [DeviceAuthenticationError] =
    invalidations.map { .authenticationKeyInvalidated($0) }
    + [
      .authenticationKeyMissing, .biometricNotEnrolled("enrol a finger"), .passcodeNotSet, .authenticationFailed,
      .cancelled, .timedOut(limit: .milliseconds(1500)), .verificationExpired, .fallbackRequested,
      .busy("another prompt"),
      .unavailable(reason: "no TPM"), .unavailable(reason: ""),
    ] + VerificationMethod.allCases.map { .lockedOut($0) }

  static let replies: [LinkReply] =
    lists
    + [
      .done, .status(.keyLost), .lockState(true), .lockState(false), .lockEpoch(LockEpoch(rawValue: .max)),
      .key(key(64)),
    ]
    + [.octets([UInt8](repeating: 7, count: 65)), .octets([]), .counter(nil), .counter(.max), .access(.usable)]
    + [.access(.missing)] + invalidations.map { .access(.invalidated($0)) } + errors.map { .failed($0) }
    + BiometricResult.allCases.map { .biometric($0) } + PasscodeResult.allCases.map { .passcode($0) }
    + BiometricKind.allCases.flatMap { kind in
      [
        LinkReply.enrolment(.enrolled(kind, digest: [UInt8](0..<32))), .enrolment(.enrolled(kind)),
        .enrolment(.notEnrolled(kind)), .enrolment(.unavailable(kind, reason: "no sensor")),
      ]
    }

  @Test(arguments: requests) func `a request is read as it was written`(_ request: LinkRequest) throws {
    #expect(try LinkRequest(request.octets) == request)
  }

  @Test(arguments: replies) func `an answer is read as it was written`(_ reply: LinkReply) throws {
    #expect(try LinkReply(reply.octets) == reply)
  }

  @Test func `every message that is cut or longer is refused`() {
    for octets in Self.requests.map(\.octets) {
      for count in 0..<octets.count { #expect(throws: LinkFailure.self) { try LinkRequest(Array(octets[..<count])) } }
      #expect(throws: LinkFailure.self) { try LinkRequest(octets + [0]) }
    }
    for octets in Self.replies.map(\.octets) {
      for count in 0..<octets.count { #expect(throws: LinkFailure.self) { try LinkReply(Array(octets[..<count])) } }
      #expect(throws: LinkFailure.self) { try LinkReply(octets + [0]) }
    }
  }

  @Test func `no byte of a message, whatever its value, ends the program`() {
    // The characters that mean something in JSON, the mark of bytes, and others.
    let values = Array("\"\\{}[]:,-.0e\n".utf8) + [0, 0x61, 0x7F, 0x80, 0x89, 0xC3, 0xFF]
    for octets in Self.requests.map(\.octets) + Self.replies.map(\.octets) {
      for index in octets.indices.prefix(64) {
        for value in values {
          var changed = octets
          changed[index] = value
          // A message that is read is written again without a loss.
          if let request = try? LinkRequest(changed) { #expect((try? LinkRequest(request.octets)) == request) }
          if let reply = try? LinkReply(changed) { #expect((try? LinkReply(reply.octets)) == reply) }
        }
      }
    }
  }

  @Test func `fields beyond their limits are refused`() throws {
    func request(_ text: String) throws -> LinkRequest { try LinkRequest(Array(text.utf8)) }
    let (prompt, key) = (String(repeating: "a", count: 1024), String(repeating: "01", count: 64))
    #expect(try request(#"{"verifyPasscode": {"prompt": "\#(prompt)"}}"#) == .verifyPasscode(prompt: prompt))
    #expect(throws: LinkFailure.self) { try request(#"{"verifyPasscode": {"prompt": "\#(prompt)a"}}"#) }
    #expect(throws: LinkFailure.self) { try LinkRequest(Array(#"{"verifyPasscode": {"prompt": ""#.utf8) + [0xFF]) }
    let named = try #require(KeyIdentifier([UInt8](repeating: 1, count: 64)))
    #expect(try request(#"{"unseal": {"_0": "\#(key)"}}"#) == .unseal(named))
    for other in ["\(key)01", "", "0", "xx"] {
      #expect(throws: LinkFailure.self) { try request(#"{"unseal": {"_0": "\#(other)"}}"#) }
    }
    #expect(throws: LinkFailure.self) { try request(#"{"verifyBiometric": {"prompt": "", "offeringPasscode": 2}}"#) }
    #expect(throws: LinkFailure.self) { try request(#"{"lockState": {}, "cancel": {}}"#) }
  }

  @Test(arguments: [32, 33, 300])
  func `a digest of an enrolment is read up to 32 bytes, as a wallet stores it`(_ count: Int) throws {
    let digest = String(repeating: "7,", count: count).dropLast()
    let enrolment = #"{"kind": "finger", "state": {"enrolled": {}}, "digest": [\#(digest)]}"#
    let reply = Array(#"{"enrolment": {"_0": \#(enrolment)}}"#.utf8)
    if count <= 32 {
      #expect(try LinkReply(reply) == .enrolment(.enrolled(digest: [UInt8](repeating: 7, count: count))))
    } else {
      #expect(throws: LinkFailure.self) { try LinkReply(reply) }
    }
  }

  @Test func `a response that is too long for a message is a failure`() throws {
    let reply = LinkReply.failed(.unavailable(reason: String(repeating: "a", count: 10_000)))
    #expect(reply.octets.count <= LinkFrames.maximumCount)
    let error = DeviceAuthenticationError.unavailable(reason: "a response of 10047 bytes")
    #expect(try LinkReply(reply.octets) == .failed(error))
  }
}

/// The frames on the socket of a device.
struct FrameTests {
  @Test(arguments: [1, 2, 255, 256, 8191, 8192])
  func `a message of an allowed length passes, byte by byte`(_ count: Int) throws {
    let message = [UInt8](repeating: 0xA5, count: count)
    var frames = LinkFrames()
    for octet in LinkFrames.framed(message) {
      #expect(try frames.next() == nil)
      frames.append([octet])
    }
    #expect(try frames.next() == message)
    #expect(frames.isEmpty)
  }

  @Test(arguments: [[0, 0, 0, 0], [0, 0, 0x20, 0x01], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
  func `a length of 0 and one above 8192 are refused before the message arrives`(_ prefix: [UInt8]) {
    var frames = LinkFrames()
    frames.append(prefix)
    #expect(throws: LinkFailure.self) { try frames.next() }
  }

  @Test func `two messages in one part are read one after the other`() throws {
    var frames = LinkFrames()
    frames.append(LinkFrames.framed([1]) + LinkFrames.framed([2, 3]))
    #expect(try frames.next() == [1])
    #expect(!frames.isEmpty)
    #expect(try frames.next() == [2, 3])
    #expect(try frames.next() == nil)
  }

  @Test(arguments: [[], [0x43], Array("CDEV".utf8), Array("CDEX".utf8) + [0, 1], LinkHello().octets + [0]])
  func `another first message than that of a device is refused`(_ octets: [UInt8]) {
    #expect(throws: LinkFailure.self) { try LinkHello(octets) }
  }

  @Test func `the first message of a later version is read`() throws {
    #expect(try LinkHello(Array("CDEV".utf8) + [0, 9, 9, 9]).version == 9)
    #expect(try LinkHello(LinkHello().octets) == LinkHello())
  }
}
