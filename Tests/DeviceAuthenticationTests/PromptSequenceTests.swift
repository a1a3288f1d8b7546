import DeviceAuthentication
import Testing

@Suite("The sequence of prompts")
struct PromptSequenceTests {
  typealias Answer = PromptSequence.Answer
  typealias Step = PromptSequence.Step

  static let limits = VerificationLimits(biometricAttempts: 2, passcodeAttempts: 2)
  static let passcode = Step.ask(.passcode, fallback: false)

  /// The states of a sequence, with the step of each.
  enum State: String, CaseIterable {
    case sensorFirst, sensorLastAttempt, sensorAlone, sensorAloneLastAttempt, passcodeFirst, passcodeLastAttempt

    func sequence() throws -> PromptSequence {
      let methods: [VerificationMethod] =
        switch self {
        case .sensorFirst, .sensorLastAttempt: [.biometric, .passcode]
        case .sensorAlone, .sensorAloneLastAttempt: [.biometric]
        case .passcodeFirst, .passcodeLastAttempt: [.passcode]
        }
      var sequence = try #require(PromptSequence(methods: methods, limits: limits))
      if [.sensorLastAttempt, .sensorAloneLastAttempt, .passcodeLastAttempt].contains(self) {
        _ = sequence.receive(.success(.notMatched))
      }
      return sequence
    }

    var again: Step {
      switch self {
      case .sensorFirst, .sensorLastAttempt: .ask(.biometric, fallback: true)
      case .sensorAlone, .sensorAloneLastAttempt: .ask(.biometric, fallback: false)
      case .passcodeFirst, .passcodeLastAttempt: passcode
      }
    }

    var method: VerificationMethod { [.passcodeFirst, .passcodeLastAttempt].contains(self) ? .passcode : .biometric }
    var hasNext: Bool { [.sensorFirst, .sensorLastAttempt].contains(self) }
    var hasAttempts: Bool { [.sensorFirst, .sensorAlone, .passcodeFirst].contains(self) }
  }

  @Test(arguments: State.allCases)
  func `every state has its own step`(_ state: State) throws {
    #expect(try state.sequence().step == state.again)
  }

  @Test(arguments: State.allCases)
  func `a match verifies and a cancellation ends the sequence in every state`(_ state: State) throws {
    var sequence = try state.sequence()
    #expect(sequence.receive(.success(.matched)) == .verified(state.method))
    sequence = try state.sequence()
    #expect(sequence.receive(.success(.cancelled)) == .failed(.cancelled))
  }

  @Test(arguments: State.allCases)
  func `a failed attempt repeats the prompt below the limit and leads to the next method at it`(_ state: State) throws {
    var sequence = try state.sequence()
    let step = sequence.receive(.success(.notMatched))
    let expected = state.hasAttempts ? state.again : state.hasNext ? Self.passcode : .failed(.authenticationFailed)
    #expect(step == expected)
    if case .ask = step { #expect(sequence.step == step) }
  }

  static let goingOn: [(Answer, DeviceAuthenticationError?)] = [
    (.success(.exhausted), .authenticationFailed), (.success(.fallbackRequested), .authenticationFailed),
    (.success(.lockedOut), nil),
    (.failure(.busy("x")), .busy("x")), (.failure(.unavailable(reason: "x")), .unavailable(reason: "x")),
    (.failure(.biometricNotEnrolled("x")), .biometricNotEnrolled("x")), (.failure(.passcodeNotSet), .passcodeNotSet),
    (.failure(.lockedOut(.biometric)), .lockedOut(.biometric)),
  ]

  @Test(arguments: State.allCases, goingOn)
  func `the failure of one method leads to the next method, or to its error`(
    _ state: State, _ row: (Answer, DeviceAuthenticationError?)
  ) throws {
    var sequence = try state.sequence()
    let expected: Step = state.hasNext ? Self.passcode : .failed(row.1 ?? .lockedOut(state.method))
    #expect(sequence.receive(row.0) == expected)
  }

  static let final: [DeviceAuthenticationError] = [
    .timedOut(limit: .seconds(1)), .cancelled, .authenticationFailed, .authenticationKeyMissing,
    .authenticationKeyInvalidated(.keyGone), .fallbackRequested, .verificationExpired,
  ]

  @Test(arguments: State.allCases, final)
  func `an error of the whole verification ends the sequence in every state`(
    _ state: State, _ error: DeviceAuthenticationError
  ) throws {
    var sequence = try state.sequence()
    #expect(sequence.receive(.failure(error)) == .failed(error))
  }

  @Test func `attempts are counted per method`() throws {
    var sequence = try #require(PromptSequence(methods: [.biometric, .passcode], limits: Self.limits))
    #expect(sequence.receive(.success(.notMatched)) == .ask(.biometric, fallback: true))
    #expect(sequence.receive(.success(.notMatched)) == Self.passcode)
    #expect(sequence.receive(.success(.notMatched)) == Self.passcode)
    #expect(sequence.receive(.success(.notMatched)) == .failed(.authenticationFailed))
  }

  @Test func `a sequence needs a method`() {
    #expect(PromptSequence(methods: [], limits: .standard) == nil)
  }
}
