import ArgumentParser

/// The files of this machine that a device reads and writes.
struct DeviceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The shadow file.", valueName: "file"), completion: .file())
  var shadow = "/etc/shadow"
  @Option(
    help: ArgumentHelp("The directory of the device's state; only root may open it.", valueName: "dir"),
    completion: .directory)
  var state = "/var/lib/tap-device"
}
