public import Links
internal import POSIX
public import ReaderSimulator

extension SimulatedUSBDevice {
  /// A reader that carries the frames of its chip, as libnfc's driver pn53x_usb expects it. Its chip answers while a
  /// `ReaderSimulator` with it runs.
  ///
  /// - Parameters:
  ///   - description: Its numbers and names; its interfaces are replaced.
  ///   - model: Its chip.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  public static func chip(
    _ description: USBDescription, model: ChipModel = .pn533
  ) throws(LinkError) -> SimulatedUSBDevice {
    var described = description
    let endpoints = [FrameFirmware.output, FrameFirmware.input].map {
      USBDescription.Endpoint($0, .bulk, packetSize: 64, interval: 4)
    }
    described.interfaces = [.init(classCode: 0xFF, endpoints: endpoints)]
    let port = try ChipPort((model, .packets))
    let faults = FaultPort()
    return SimulatedUSBDevice(described, slots: [], chip: port, faults: faults) { signal in
      FaultyChipFirmware(FrameFirmware(port, waking: signal), input: FrameFirmware.input, plan: faults)
    }
  }
}
