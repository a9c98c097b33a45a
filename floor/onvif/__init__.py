"""What a floor's tables publish, as ONVIF events over MQTT (`onvif-ej`) for a video management system."""
