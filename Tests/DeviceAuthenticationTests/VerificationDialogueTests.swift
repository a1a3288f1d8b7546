import DeviceAuthentication
import Testing

@Suite("The dialogue, every answer in every state")
struct VerificationDialogueTests {
  typealias Answer = VerificationDialogue.Answer
  typealias Step = VerificationDialogue.Step

  static let limits = VerificationLimits(biometricTries: 2, passcodeTries: 2)
  static let passcode = Step.ask(.passcode, fallback: false)

  /// A dialogue that stands at a state, and the step it asks for there.
  enum State: String, CaseIterable {
    case sensorFirst, sensorLastTry, sensorAlone, sensorAloneLastTry, passcodeFirst, passcodeLastTry

    func dialogue() throws -> VerificationDialogue {
      let ways: [VerificationMethod] =
        switch self {
        case .sensorFirst, .sensorLastTry: [.biometric, .passcode]
        case .sensorAlone, .sensorAloneLastTry: [.biometric]
        case .passcodeFirst, .passcodeLastTry: [.passcode]
        }
      var dialogue = try #require(VerificationDialogue(ways: ways, limits: limits))
      if [.sensorLastTry, .sensorAloneLastTry, .passcodeLastTry].contains(self) { _ = dialogue.receive(.notMatched) }
      return dialogue
    }

    var again: Step {
      switch self {
      case .sensorFirst, .sensorLastTry: .ask(.biometric, fallback: true)
      case .sensorAlone, .sensorAloneLastTry: .ask(.biometric, fallback: false)
      case .passcodeFirst, .passcodeLastTry: passcode
      }
    }

    var method: VerificationMethod { [.passcodeFirst, .passcodeLastTry].contains(self) ? .passcode : .biometric }
    var hasNext: Bool { [.sensorFirst, .sensorLastTry].contains(self) }
    var hasTries: Bool { [.sensorFirst, .sensorAlone, .passcodeFirst].contains(self) }
  }

  @Test(arguments: State.allCases)
  func `Every state asks for its own step`(_ state: State) throws {
    #expect(try state.dialogue().step == state.again)
  }

  @Test(arguments: State.allCases)
  func `A match verifies and a cancellation ends, in every state`(_ state: State) throws {
    var dialogue = try state.dialogue()
    #expect(dialogue.receive(.matched) == .verified(state.method))
    dialogue = try state.dialogue()
    #expect(dialogue.receive(.cancelled) == .failed(.cancelled))
  }

  @Test(arguments: State.allCases)
  func `A failed try asks again below the limit and goes on at it`(_ state: State) throws {
    var dialogue = try state.dialogue()
    let step = dialogue.receive(.notMatched)
    let expected = state.hasTries ? state.again : state.hasNext ? Self.passcode : .failed(.authenticationFailed)
    #expect(step == expected)
    if case .ask = step { #expect(dialogue.step == step) }
  }

  static let goingOn: [(Answer, DeviceAuthenticationError?)] = [
    (.exhausted, .authenticationFailed), (.fallbackRequested, .authenticationFailed), (.lockedOut, nil),
    (.failed(.busy("x")), .busy("x")), (.failed(.unavailable(reason: "x")), .unavailable(reason: "x")),
    (.failed(.biometricNotEnrolled("x")), .biometricNotEnrolled("x")), (.failed(.passcodeNotSet), .passcodeNotSet),
    (.failed(.lockedOut(.biometric)), .lockedOut(.biometric)),
  ]

  @Test(arguments: State.allCases, goingOn)
  func `What only one way cannot do leads to the next way, or to its error`(
    _ state: State, _ row: (Answer, DeviceAuthenticationError?)
  ) throws {
    var dialogue = try state.dialogue()
    let expected: Step = state.hasNext ? Self.passcode : .failed(row.1 ?? .lockedOut(state.method))
    #expect(dialogue.receive(row.0) == expected)
  }

  static let final: [DeviceAuthenticationError] = [
    .timedOut(limit: .seconds(1)), .cancelled, .authenticationFailed, .authenticationKeyMissing,
    .authenticationKeyInvalidated(.keyGone),
  ]

  @Test(arguments: State.allCases, final)
  func `Errors that concern the whole verification end it, in every state`(
    _ state: State, _ error: DeviceAuthenticationError
  ) throws {
    var dialogue = try state.dialogue()
    #expect(dialogue.receive(.failed(error)) == .failed(error))
  }

  @Test func `Tries are counted for each way by itself`() throws {
    var dialogue = try #require(VerificationDialogue(ways: [.biometric, .passcode], limits: Self.limits))
    #expect(dialogue.receive(.notMatched) == .ask(.biometric, fallback: true))
    #expect(dialogue.receive(.notMatched) == Self.passcode)
    #expect(dialogue.receive(.notMatched) == Self.passcode)
    #expect(dialogue.receive(.notMatched) == .failed(.authenticationFailed))
  }

  @Test func `No way to verify is no dialogue`() {
    #expect(VerificationDialogue(ways: [], limits: .standard) == nil)
  }
}
