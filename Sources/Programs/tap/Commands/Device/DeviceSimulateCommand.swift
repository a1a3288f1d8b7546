import ArgumentParser
import DeviceAuthentication
import ProgramSupport

/// Changes a simulated device.
struct DeviceSimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Change the settings of a simulated device and show its state; create it when it does not exist.",
    help: CommandHelp(
      """
      The sensor is changed first, and stays changed. The other changes are made in the order passcode, \
      biometric, clock, date: all of them or none. A new device has no passcode and no finger. The keys lie in \
      the file in clear, readable by its owner only: test keys and nothing else.
      """,
      examples: [
        "tap device simulate --device phone --passcode on --biometric enrol":
          "Create a device with a passcode and a finger.",
        "tap device simulate --device phone --advance 180": "Let three minutes pass on it.",
      ],
      exits: [
        .done: "done",
        .notRight: "refused, and nothing was changed",
        .error: "the file cannot be read or written",
      ]))

  /// A change of the lock.
  enum Passcode: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
    case change

    var changes: [DeviceChange] {
      switch self {
      case .on: [.setPasscode]
      case .off: [.disableLockScreen]
      case .change: [.changePasscode]
      }
    }
  }

  /// A sensor.
  enum Sensor: String, ExpressibleByArgument, CaseIterable {
    case finger
    case face
    case none

    var kind: BiometricKind? { BiometricKind(rawValue: rawValue) }
  }

  /// A change of the enrolled fingers.
  enum Biometric: String, ExpressibleByArgument, CaseIterable {
    case enrol
    case removeAll = "remove-all"

    var changes: [DeviceChange] {
      switch self {
      case .enrol: [.enrolBiometric]
      case .removeAll: [.removeAllBiometrics]
      }
    }
  }

  @Option(help: ArgumentHelp("The device's file.", valueName: "file"), completion: .file())
  var device: String
  @Option(help: "Turn the passcode on or off, or change it. Off also removes the fingers and ends every key.")
  var passcode: Passcode?
  @Option(help: "What the device recognises; another sensor has nothing enrolled.")
  var sensor: Sensor?
  @Flag(help: "Unlock a sensor that is locked after too many attempts, as the passcode does.")
  var unlockSensor = false
  @Option(help: "Enrol another finger or face, or remove all.")
  var biometric: Biometric?
  @Option(help: ArgumentHelp("Move the device's clock forward: 0 to 1000000000.", valueName: "seconds"))
  var advance = 0
  @Flag(help: "Set the device's date to this machine's, as a phone does; its time since its start stays ahead.")
  var setDate = false
  @Option(help: "How the state is printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require(!device.isEmpty, "--device needs the name of a file.")
    try require("--advance", advance, in: 0...1_000_000_000)
  }

  func run() throws {
    try Console.reportingErrors(as: format) {
      let status = try changed()
      try format.print(status.line(of: device), json: status.json(of: device))
    }
  }

  private func changed() throws(StoredDeviceError) -> StoredDeviceStatus {
    let stored = try StoredDevice(path: device)
    if sensor != nil || unlockSensor {
      try stored.setSensor(sensor.map(\.kind), isUnlocked: unlockSensor)
    }
    let changes = (passcode?.changes ?? []) + (biometric?.changes ?? [])
    if !changes.isEmpty || advance > 0 || setDate {
      try stored.apply(changes, advancingBy: advance, settingDate: setDate)
    }
    return try stored.status()
  }
}
