public import ArgumentParser
public import DeviceAuthentication

extension CardholderVerificationPolicy: ExpressibleByArgument {}
