/// A scripted person in front of a simulated device.
///
/// The n-th prompt of a kind gets the n-th act of that kind; the last act repeats for ever.
public struct SimulatedUser: Sendable, Equatable {
  /// What the person does at the sensor.
  public enum SensorAct: Sendable, Equatable {
    /// Presents a finger that is enrolled.
    case presentsEnrolledFinger
    /// Presents a finger that is not.
    case presentsUnknownFinger
    /// Presents fingers until the device itself asks no more.
    case wearsOutTheSensor
    /// Chooses the passcode; where the prompt does not offer it, gives up.
    case asksForPasscode
    /// Takes the prompt away.
    case cancels
    /// Never touches the sensor: the prompt stays until it is taken away.
    case neverAnswers
  }

  /// What the person does at the passcode prompt.
  public enum PasscodeAct: Sendable, Equatable {
    /// Enters the passcode that is set at that moment.
    case entersPasscode
    /// Enters something else.
    case entersWrongPasscode
    /// Enters this.
    case enters(String)
    /// Takes the prompt away.
    case cancels
    /// Never types: the prompt stays until it is taken away.
    case neverAnswers
  }

  /// The acts at the sensor, at least one.
  public let atSensor: [SensorAct]
  /// The acts at the passcode prompt, at least one.
  public let atPasscode: [PasscodeAct]

  /// Writes a script. An empty list of acts traps.
  public init(atSensor: [SensorAct], atPasscode: [PasscodeAct]) {
    precondition(!atSensor.isEmpty && !atPasscode.isEmpty, "a script has at least one act for each kind of prompt")
    self.atSensor = atSensor
    self.atPasscode = atPasscode
  }

  /// Is recognised in whatever way is asked.
  public static let approve = SimulatedUser(atSensor: [.presentsEnrolledFinger], atPasscode: [.entersPasscode])
  /// Takes every prompt away.
  public static let cancel = SimulatedUser(atSensor: [.cancels], atPasscode: [.cancels])
  /// Is never recognised.
  public static let fail = SimulatedUser(atSensor: [.presentsUnknownFinger], atPasscode: [.entersWrongPasscode])
  /// Uses no biometrics: chooses the passcode where it is offered and gives up where it is not.
  public static let noBiometrics = SimulatedUser(atSensor: [.asksForPasscode], atPasscode: [.entersPasscode])
  /// Presents a wrong finger and then a right one; mistypes once, too.
  public static let wrongThenRight = SimulatedUser(
    atSensor: [.presentsUnknownFinger, .presentsEnrolledFinger], atPasscode: [.entersWrongPasscode, .entersPasscode])
  /// Is not there: every prompt stays until it is taken away.
  public static let neverAnswers = SimulatedUser(atSensor: [.neverAnswers], atPasscode: [.neverAnswers])

  func sensorAct(_ number: Int) -> SensorAct { atSensor[min(number, atSensor.count - 1)] }

  func passcodeAct(_ number: Int) -> PasscodeAct { atPasscode[min(number, atPasscode.count - 1)] }
}
