/// A scripted person in front of a simulated device.
///
/// The n-th prompt of a method gets the n-th act for that method; the last act repeats.
public struct SimulatedUser: Sendable, Equatable {
  /// An act at the sensor.
  public enum SensorAct: Sendable, Equatable {
    /// Presents an enrolled finger.
    case presentsEnrolledFinger
    /// Presents a finger that is not enrolled.
    case presentsUnknownFinger
    /// Presents fingers until the device stops asking.
    case wearsOutTheSensor
    /// Chooses the passcode, or closes the prompt when it does not offer the passcode.
    case asksForPasscode
    /// Closes the prompt.
    case cancels
    /// Does not touch the sensor: the prompt stays open until it is closed.
    case neverAnswers
  }

  /// An act at the passcode prompt.
  public enum PasscodeAct: Sendable, Equatable {
    /// Enters the present passcode.
    case entersPasscode
    /// Enters a wrong passcode.
    case entersWrongPasscode
    /// Enters this text.
    case enters(String)
    /// Closes the prompt.
    case cancels
    /// Enters nothing: the prompt stays open until it is closed.
    case neverAnswers
  }

  /// The acts at the sensor, at least one.
  public let atSensor: [SensorAct]
  /// The acts at the passcode prompt, at least one.
  public let atPasscode: [PasscodeAct]

  /// Creates a script. An empty list of acts traps.
  public init(atSensor: [SensorAct], atPasscode: [PasscodeAct]) {
    precondition(!atSensor.isEmpty && !atPasscode.isEmpty, "a script has at least one act for each method")
    self.atSensor = atSensor
    self.atPasscode = atPasscode
  }

  /// Is recognised by every method.
  public static let approve = SimulatedUser(atSensor: [.presentsEnrolledFinger], atPasscode: [.entersPasscode])
  /// Closes every prompt.
  public static let cancel = SimulatedUser(atSensor: [.cancels], atPasscode: [.cancels])
  /// Is never recognised.
  public static let fail = SimulatedUser(atSensor: [.presentsUnknownFinger], atPasscode: [.entersWrongPasscode])
  /// Uses no biometrics: chooses the passcode where it is offered and closes the prompt where it is not.
  public static let noBiometrics = SimulatedUser(atSensor: [.asksForPasscode], atPasscode: [.entersPasscode])
  /// Is recognised at the second prompt of each method.
  public static let wrongThenRight = SimulatedUser(
    atSensor: [.presentsUnknownFinger, .presentsEnrolledFinger], atPasscode: [.entersWrongPasscode, .entersPasscode])
  /// Does not answer: every prompt stays open until it is closed.
  public static let neverAnswers = SimulatedUser(atSensor: [.neverAnswers], atPasscode: [.neverAnswers])

  func sensorAct(_ number: Int) -> SensorAct { atSensor[min(number, atSensor.count - 1)] }

  func passcodeAct(_ number: Int) -> PasscodeAct { atPasscode[min(number, atPasscode.count - 1)] }
}
