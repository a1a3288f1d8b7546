import ArgumentParser
import DeviceLink

/// What a program must be for a payment on a real device.
struct IntegrityOptions: ParsableArguments {
  @Flag(
    help: """
      Refuse a payment on the device of this machine by a program whose folder another user than root can write; \
      without it, the owner of the folder is trusted.
      """)
  var refuseOwnerFolder = false

  /// The checks of this process.
  var checks: ProcessIntegrity { ProcessIntegrity(refusesOwnerFolder: refuseOwnerFolder) }
}
